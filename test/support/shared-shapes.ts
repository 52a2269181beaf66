import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../src/contract/json/json.js';
import type { Diagnostic } from '../../src/validation/index.js';
import { pendingRequestSchema, verdictSchema } from '../../src/server/people/request.schema.js';
import { graphSchema } from '../../src/server/procedures/graph.schema.js';
import { procedureSchema } from '../../src/server/procedures/procedure.schema.js';
import { logSchema } from '../../src/server/runs/log.schema.js';
import { errorSchema, listedRunSchema, runSchema } from '../../src/server/runs/run.schema.js';

const run = { schema: runSchema, key: 'checkpoints' };

const diagnostic = z.strictObject({
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  severity: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  message: z.string(),
  suggestion: z.string().nullable(),
} satisfies Record<keyof Diagnostic, z.ZodType>);
const described = procedureSchema.shape.describe.nullable();

/** What every command that fails before it has an answer says. */
const failedShape = z.looseObject({ error: errorSchema });

/** What commands and the HTTP API both show: the schema of each command's JSON, and a key that only an answer of that shape has. */
const sharedShapes: Record<string, { schema: z.ZodType; key: string }> = {
  ...{ run, resume: run, result: run, status: run },
  log: { schema: logSchema, key: 'execution_log' },
  respond: { schema: verdictSchema, key: 'outcome' },
  list: {
    schema: z.looseObject({ runs: z.array(listedRunSchema), next: z.string().nullable() }),
    key: 'runs',
  },
  validate: {
    schema: z.looseObject({
      valid: z.boolean(),
      diagnostics: z.array(diagnostic),
      describe: described,
      files: z.array(z.object({ file: z.string(), describe: described })),
    }),
    key: 'valid',
  },
  graph: { schema: graphSchema.omit({ entry: true }).strict(), key: 'mermaid' },
  pending: { schema: z.looseObject({ pending: z.array(pendingRequestSchema) }), key: 'pending' },
};

/** What is wrong with the JSON of a command, by the schema that the HTTP API has for the same. */
export function shapeProblems(command: string, answer: JsonObject): z.core.$ZodIssue[] {
  const { schema, key = '' } = sharedShapes[command] ?? {};
  // An error has a shape of its own, and `run --detach` looks at no run.
  if (Object.keys(answer).join() === 'error') return failedShape.safeParse(answer).error?.issues ?? [];
  return schema !== undefined && key in answer ? (schema.safeParse(answer).error?.issues ?? []) : [];
}
