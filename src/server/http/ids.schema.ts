import { z } from '@hono/zod-openapi';

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
export const requestId = plainWord(2_000).openapi({
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
