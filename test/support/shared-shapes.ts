import { z } from '@hono/zod-openapi';
import { pendingRequestSchema, verdictSchema } from '../../src/server/people/request.schema.js';
import { listedRunSchema, logSchema, runSchema } from '../../src/server/runs/run.schema.js';

const run = { schema: runSchema, key: 'checkpoints' };

/** What commands and the HTTP API both show: the schema of each command's JSON, and a key that only an answer of that shape has. */
export const sharedShapes: Record<string, { schema: z.ZodType; key: string }> = {
  ...{ run, resume: run, result: run, status: run },
  log: { schema: logSchema, key: 'execution_log' },
  respond: { schema: verdictSchema, key: 'outcome' },
  list: {
    schema: z.looseObject({ runs: z.array(listedRunSchema), next: z.string().nullable() }),
    key: 'runs',
  },
  pending: { schema: z.looseObject({ pending: z.array(pendingRequestSchema) }), key: 'pending' },
};
