import { z } from '@hono/zod-openapi';
import { errorCodes, type ErrorCode } from '../../contract/errors.js';
import { isJson, type JsonObject, type JsonValue } from '../../contract/json/json.js';

export const errorCode = z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]);

const problemSchema = z
  .object({
    type: z.string().openapi({ example: 'urn:tactus:error:run_not_found' }),
    title: z.string(),
    status: z.number().int(),
    code: errorCode,
    detail: z.string(),
    errors: leftOut(z.array(z.object({ path: z.string(), message: z.string() }))).openapi({
      description: 'What is wrong with which field, where a schema says so',
    }),
  })
  .openapi('Problem');
/** What is wrong with a request, as RFC 9457 has it. */
export type Problem = z.infer<typeof problemSchema>;

/** What every route may answer besides what it is for. */
export const problems = {
  default: {
    description: 'What went wrong (RFC 9457); `code` is one of docs/errors',
    content: { 'application/problem+json': { schema: problemSchema } },
  },
} as const;

export const json = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** A point in time, ISO 8601 in UTC. */
export const time = z.string().openapi({ format: 'date-time' });

/**
 * An object that runs tell, and that is passed on as it is: workers of another version may say more. Its type is what is known
 * of it; an index signature would let every misspelled name pass.
 */
export function passedOn<S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strip> {
  return z.looseObject(shape);
}

/**
 * A named schema, or null. By `nullable()`, whatever mentions it first would decide for all whether the name stands for
 * null too.
 */
export function orNull<T extends z.ZodType>(schema: T): z.ZodUnion<[T, z.ZodNull]> {
  return z.union([schema, z.null()]);
}

/** What a key is left out without: JSON has no `undefined`, so its type has none either. */
export function leftOut<T extends z.ZodType>(schema: T): z.ZodExactOptional<T> {
  // The document takes keys of `exactOptional()` for required.
  // eslint-disable-next-line no-restricted-syntax -- see above: both take the same values
  return schema.optional() as unknown as z.ZodExactOptional<T>;
}

/** What an id or a name may hold: nothing that hides, ends a line, or has no form in UTF-8. */
export function plainWord(longest: number) {
  return (
    z
      .string()
      .min(1)
      .max(longest)
      // eslint-disable-next-line no-control-regex
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'no control characters')
      .refine((text) => !/\p{Cs}/u.test(text), 'no halves of characters')
  );
}

/** Temporal takes ids of up to 1,000 bytes. */
export const runId = plainWord(1_000).openapi({
  description: 'Id of a run. In a path, `/` is written `%2F`.',
  example: 'review-7',
});

/** `<run>/<position>`. */
const requestId = plainWord(2_000).openapi({
  description: 'Id of a human request, `<run>/<position>`. In a path, `/` is written `%2F`.',
  example: 'review-7/0',
});

export const namespaceParams = z.object({
  namespace: plainWord(500).openapi({ param: { name: 'namespace', in: 'path' }, example: 'default' }),
});

export const runParams = namespaceParams.extend({
  run: runId.openapi({ param: { name: 'run', in: 'path' } }),
});

export const requestParams = namespaceParams.extend({
  request: requestId.openapi({ param: { name: 'request', in: 'path' } }),
});

/** A number in a query. */
export const count = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().int().min(least).max(most))
    .openapi({ type: 'integer', minimum: least, maximum: most });

/** Any JSON that crosses into Lua: no deeper than that takes. */
export const jsonValue: z.ZodType<JsonValue> = z
  .any()
  .refine((value) => isJson(value), 'is missing, or nested too deep')
  .openapi({ description: 'Any JSON, nested up to 100 levels deep.' });

export const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
    'must be an object, nested up to 100 levels deep',
  )
  .openapi({ type: 'object', additionalProperties: true });
