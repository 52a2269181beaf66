import { z } from '@hono/zod-openapi';

/** A page of a history has fewer. */
const mostPayloads = 5_000;

const base64 = z
  .string()
  .regex(/^[\w+/-]*={0,2}$/)
  .openapi({ description: 'base64' });

export const payloadsSchema = z
  .object({
    payloads: z
      .array(z.object({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() }))
      .max(mostPayloads),
  })
  .openapi('Payloads', { description: "Temporal's payloads, as its protocol for codec servers has them" });
