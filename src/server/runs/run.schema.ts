import { z } from '@hono/zod-openapi';
import { runStatuses } from '../../contract/runs/run-view.js';
import {
  errorCode,
  jsonObject,
  jsonValue,
  leftOut,
  orNull,
  passedOn,
  runId,
  time,
} from '../http/common.schema.js';
import { pendingRequestSchema } from '../people/request.schema.js';

export const status = z.enum(runStatuses);
export const authority = z.enum(['trusted-namespace', 'signed']);
export const sourceLine = z.object({ file: z.string(), line: z.number().int() });
export const level = z.enum(['debug', 'info', 'warning', 'error']);

export const errorSchema = passedOn({
  code: errorCode,
  message: z.string(),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  traceback: z.string().nullable().openapi({ description: 'Lua frames, innermost first, one a line' }),
}).openapi('RunError');

export const waitSchema = passedOn({
  position: z.string(),
  kind: z.enum(['activity', 'child', 'event', 'human', 'time']),
  name: z.string(),
  source: leftOut(sourceLine),
  since: time,
  runs: leftOut(z.array(z.string())).openapi({ description: 'Ids of the runs that are waited for' }),
  resume_at: leftOut(time),
  held: leftOut(z.literal(true)).openapi({
    description: 'It has not begun, as the run is paused or calls like it are held',
  }),
  hold: leftOut(z.string()).openapi({ description: 'Target of the hold that it waits for' }),
}).openapi('Wait');

export const holdSchema = passedOn({
  target: z.string().openapi({ description: 'Such as provider:openai' }),
  reason: z.string(),
  by: z.string().nullable(),
  since: time,
  until: time.nullable(),
  waiting: z.number().int().openapi({ description: 'How many calls and starts wait' }),
  rate: leftOut(z.number()).openapi({ description: 'It is being released: so many begin each second' }),
}).openapi('Hold');

export const pausedSchema = passedOn({
  by: z.string().nullable(),
  reason: z.string().nullable(),
  since: time,
  deadlines: z.enum(['go_on', 'stand_still']),
  hold: leftOut(z.string()).openapi({ description: 'Target of the hold that ends it' }),
}).openapi('Pause');

const cancellingSchema = passedOn({
  since: time,
  until: time.openapi({ description: 'Then it ends, whatever is left' }),
  left: z.array(z.string()).openapi({
    description: 'Compensations and deferred functions that have not ended, the next first',
  }),
  more: leftOut(z.number().int()).openapi({ description: 'How many others are left' }),
}).openapi('Cancelling');

const usageSchema = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.number().nullable(),
});

const budgetSchema = passedOn({
  of: z.string(),
  on_exhausted: z.enum(['ask', 'stop', 'error']),
  limits: z.record(z.string(), z.number()),
  used: z.record(z.string(), z.number()),
});

const changeSchema = passedOn({
  kind: z.enum(['upgrade', 'rewind', 'retry', 'fork']),
  position: leftOut(z.string()),
  run: leftOut(z.string()),
  at: time,
  by: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  kept: z.number().int(),
  changed: z.array(
    passedOn({ position: z.string(), type: z.string(), name: z.string(), settings: z.array(z.string()) }),
  ),
  open: z.record(z.string(), z.enum(['kept', 'asked_anew', 'gone'])),
  again: leftOut(z.partialRecord(z.enum(['pure', 'idempotent', 'once', 'human', 'model']), z.number().int())),
  anew: leftOut(z.literal(true)),
  repeats: leftOut(z.array(z.string())),
  execution: z.string(),
});

const unheardSchema = passedOn({
  message: z.string(),
  agent: leftOut(z.string()),
  by: leftOut(z.string()),
});

export const warning = {
  code: errorCode,
  message: z.string(),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
};

const versionSchema = passedOn({
  execution: z.string(),
  began: z.number(),
  length: z.number().int(),
  step: z.number().int(),
});

const stuckSchema = passedOn({
  since: time,
  attempt: z.number().int(),
  cause: z.string(),
  message: z.string(),
});

const retryingSchema = passedOn({
  id: z.string(),
  attempt: z.number().int(),
  attempts: z.number().int().nullable(),
  message: z.string(),
  next_at: time.nullable(),
});

const unservedSchema = passedOn({ id: z.string(), task_queue: z.string(), since: time });

const publishedSchema = passedOn({
  name: z.string(),
  version: z.number().int(),
  share: z.number().openapi({ description: 'Of the runs that were started then, in per cent' }),
}).openapi('PublishedAs');

const forkedFromSchema = passedOn({
  run_id: z.string(),
  at: z.string().openapi({ description: 'The checkpoint from which it goes its own way' }),
}).openapi('ForkedFrom');

const labelsSchema = z
  .record(z.string(), z.string())
  .openapi({ description: 'Keys and values of one’s own' });

const ownScores = z
  .record(z.string(), z.object({ value: z.union([z.number(), z.boolean()]), at: time }))
  .openapi({ description: 'The newest that the procedure itself has given, by their names' });
const marks = {
  labels: leftOut(labelsSchema),
  variants: leftOut(z.record(z.string(), z.string())).openapi({
    description: 'Its variant in each experiment',
  }),
  scores: leftOut(ownScores),
};

const decisionsSchema = z.object({ decided: z.number().int(), approved: z.number().int() });

/** A run as lists have it; an index knows more of it. */
export const listedRunSchema = passedOn({
  run_id: z.string(),
  procedure: z.string(),
  status,
  started_at: time,
  closed_at: time.nullable(),
  published: leftOut(publishedSchema),
  forked_from: leftOut(forkedFromSchema),
  ...marks,
  decisions: leftOut(decisionsSchema),
  waits: leftOut(z.array(waitSchema)),
  children: leftOut(z.array(z.string())),
  checkpoints: leftOut(z.number().int()),
  usage: leftOut(usageSchema),
  error: leftOut(orNull(errorSchema)),
}).openapi('ListedRun');
export type ListedRun = z.infer<typeof listedRunSchema>;

export const runListSchema = z
  .object({
    source: z.enum(['index', 'runs']).openapi({
      description: 'Whence it comes: from an index of runs, or from the server and the runs themselves',
    }),
    runs: z.array(listedRunSchema),
    next: z.string().nullable().openapi({ description: '`after` of the next page; null at the end' }),
  })
  .openapi('RunList');
export type RunPage = z.infer<typeof runListSchema>;

export const passSchema = passedOn({
  number: z.number().int(),
  checkpoints: z.number().int(),
  shown: z.number().int(),
  execution: leftOut(z.string()),
}).openapi('Pass');

const planSchema = passedOn({
  objective: z.string(),
  status: z.enum(['active', 'completed']),
  steps: z.array(
    passedOn({
      step_id: z.number().int(),
      title: z.string(),
      status: z.enum(['pending', 'in_progress', 'done']),
    }),
  ),
}).openapi('Plan');

/** A run, as `status` of the command line shows it. */
export const runSchema = passedOn({
  run_id: z.string(),
  procedure: z.string(),
  status,
  authority: leftOut(authority),
  output: jsonValue,
  state: jsonObject,
  error: orNull(errorSchema),
  pending: z.array(pendingRequestSchema),
  pending_whole: leftOut(z.boolean()),
  waits: z.array(waitSchema),
  paused: leftOut(pausedSchema),
  held: leftOut(z.array(holdSchema)).openapi({ description: 'By which holds calls of the run wait' }),
  cancelling: leftOut(cancellingSchema),
  children: z.array(z.string()),
  published: leftOut(publishedSchema),
  forked_from: leftOut(forkedFromSchema),
  ...marks,
  checkpoints: z.number().int(),
  pass: leftOut(passSchema),
  usage: usageSchema,
  decisions: leftOut(decisionsSchema),
  budgets: leftOut(z.array(budgetSchema)),
  plan: leftOut(planSchema),
  changes: leftOut(z.array(changeSchema)),
  unheard: leftOut(z.array(unheardSchema)),
  printed: z.array(z.string()),
  logs: z.array(passedOn({ level, message: z.string(), context: jsonValue })),
  warnings: z.array(passedOn(warning)),
  shown_from: z.number().int(),
  started_at: time,
  closed_at: time.nullable(),
  version: leftOut(versionSchema),
  stuck: stuckSchema.nullable(),
  retrying: z.array(retryingSchema),
  unserved: leftOut(z.array(unservedSchema)),
  incomplete: leftOut(z.string()),
}).openapi('Run');

export const startBody = z
  .strictObject({
    procedure: z.string().min(1).max(500).openapi({
      description: "Name of a procedure in the server's folders",
      example: 'review',
    }),
    input: jsonObject.optional(),
    task: z.string().min(1).max(500).optional(),
    run_id: runId.optional().openapi({
      description:
        'The same again gives the run that is there. A graph that has ended begins its next turn where the input or the message is another one',
    }),
    message_id: z.string().min(1).max(200).optional().openapi({
      description: 'Id of the message that begins a turn of a graph: each begins one',
    }),
    labels: labelsSchema
      .optional()
      .openapi({ description: 'To find it by; at most 20', example: { team: 'crm' } }),
    timeout: z.string().max(50).optional().openapi({ example: '30d' }),
    priority: z
      .strictObject({
        priority_key: z.int().min(1).max(1_000).optional(),
        fairness_key: z.string().min(1).max(64).optional(),
        fairness_weight: z.number().min(0.001).max(1_000).optional(),
      })
      .optional()
      .openapi({ description: 'Whose tasks go first where workers have more to do than they can' }),
  })
  .openapi('Start');

export const startedSchema = z.object({ run_id: z.string(), procedure: z.string() }).openapi('Started');

export const endBody = z.strictObject({ reason: z.string().max(1_000).optional() }).openapi('End');

export const endedSchema = z
  .object({ run_id: z.string(), asked: z.enum(['cancel', 'terminate']) })
  .openapi('Ended');
