import { z } from '@hono/zod-openapi';
import { errorCodes, type ErrorCode } from '../../contract/errors.js';

export const problemSchema = z
  .object({
    type: z.string().openapi({ example: 'urn:tactus:error:run_not_found' }),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
    detail: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi('Problem');

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
