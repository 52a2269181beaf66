import { z } from '@hono/zod-openapi';
import { roles } from './identity.js';

/** Who asks, and what that one may do. */
export const meSchema = z
  .object({
    name: z
      .string()
      .nullable()
      .openapi({ description: 'null: nobody has to prove a name here, and `by` is a claim' }),
    groups: z.array(z.string()),
    roles: z.array(z.enum(roles)),
    namespaces: z.array(z.string()),
    authentication: z.array(z.enum(['token', 'jwt', 'trusted-namespace'])),
    until: z.string().nullable().openapi({ format: 'date-time' }),
  })
  .openapi('Me');

export type Me = z.infer<typeof meSchema>;
