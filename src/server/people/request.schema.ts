import { z } from '@hono/zod-openapi';
import { decisionOutcomes } from '../../contract/people/decision.js';
import type { HumanForm, HumanItem } from '../../contract/people/human-request.js';
import { jsonObject, jsonValue, leftOut, passedOn, plainWord, time } from '../http/common.schema.js';

export const requestKinds = [
  'approval',
  'input',
  'review',
  'select',
  'multiple',
  'upload',
  'escalation',
] as const;
const option = z.union([z.string(), z.number()]);

const choiceSchema = z.object({
  value: option,
  label: z.string(),
  description: leftOut(z.string()),
});

const hintsSchema = passedOn({
  label: leftOut(z.string()),
  placeholder: leftOut(z.string()),
  input_type: leftOut(z.string()),
  multiline: leftOut(z.boolean()),
  required: leftOut(z.boolean()),
});

const selectForm = passedOn({
  type: z.literal('select'),
  multiple: z.boolean(),
  min: z.number().int(),
  max: z.number().int().nullable(),
  choices: z.array(choiceSchema),
  style: leftOut(z.string()),
} satisfies FieldsOf<'select'>);

const uploadForm = passedOn({
  type: z.literal('upload'),
  accept: z.array(z.string()),
  max_size: z.number().nullable().openapi({ description: 'In bytes' }),
  multiple: z.boolean(),
} satisfies FieldsOf<'upload'>);

type FieldsOf<K extends HumanForm['type']> = Record<keyof Extract<HumanForm, { type: K }>, z.ZodType>;

// A question among several has a form of its own, and that may have questions.
const formSchema: z.ZodType<HumanForm> = z
  .lazy(() =>
    z.discriminatedUnion('type', [
      selectForm,
      uploadForm,
      passedOn({ type: z.literal('items'), items: z.array(itemSchema) } satisfies FieldsOf<'items'>),
      passedOn({ type: z.literal('any') } satisfies FieldsOf<'any'>),
    ]),
  )
  .openapi('RequestForm');

const itemSchema = passedOn({
  id: z.string().openapi({ description: "The answer's key" }),
  label: z.string(),
  kind: z.enum(requestKinds),
  message: z.string(),
  options: z.array(option),
  form: leftOut(formSchema),
  required: z.boolean(),
  default: jsonValue,
  metadata: leftOut(jsonObject),
  hints: leftOut(hintsSchema),
} satisfies Record<keyof HumanItem, z.ZodType>);

const voteSchema = passedOn({
  by: z.string(),
  value: jsonValue,
  comment: z.string().nullable(),
  at: time,
});

const escalationSchema = passedOn({
  to: z.array(z.string()),
  at: time,
  asked: z.boolean(),
  because: leftOut(z.literal('undelivered')),
});

const delegationSchema = passedOn({
  by: z.string(),
  to: z.string(),
  comment: z.string().nullable(),
  at: time,
});

const originSchema = passedOn({
  source: z.string(),
  protocol: z.string(),
  address: z.string(),
  task: z.string().nullable(),
  execution: z.literal('outside'),
});

const reminderSchema = passedOn({
  every_ms: z.number(),
  at: time.nullable(),
  number: z.number().int(),
});

const deliverySchema = passedOn({
  channel: z.string(),
  reason: z.enum(['asked', 'reminder', 'escalated']),
  number: z.number().int(),
  status: z.enum(['sending', 'delivered', 'undelivered']),
  at: time,
  reminds: leftOut(z.literal(true)),
  problem: leftOut(z.string()),
  told: leftOut(z.array(z.string())),
  closes: leftOut(z.literal(true)),
  alone: leftOut(z.literal(true)),
});

/** What a request of a run has, which says by itself what procedure it runs. */
const ofRequest = {
  id: z.string(),
  run_id: z.string(),
  kind: z.enum(requestKinds),
  message: z.string(),
  context: jsonValue,
  options: z.array(option),
  form: leftOut(formSchema).openapi({
    description: 'What an answer is made of, where the kind alone does not say',
  }),
  default: jsonValue,
  deadline: time.nullable(),
  created_at: time,
  position: z.string(),
  approvers: z.array(z.string()),
  metadata: leftOut(jsonObject),
  hints: leftOut(hintsSchema),
  preconditions_before: leftOut(jsonValue),
  origin: leftOut(originSchema).openapi({
    description: 'An agent of another system that wants the answer, and acts on it itself',
  }),
  by_host: leftOut(z.literal(true)).openapi({
    description: 'The host asks, and no procedure: message and context are its own words',
  }),
  digest: z
    .string()
    .openapi({ description: 'Goes back with a decision: it counts for what was shown alone' }),
  quorum: leftOut(z.number().int()),
  votes: leftOut(z.array(voteSchema)),
  requester: leftOut(z.string()),
  on_timeout: leftOut(z.literal('error')),
  escalation: leftOut(z.array(escalationSchema)),
  delegated: leftOut(z.array(delegationSchema)),
  expires_at: leftOut(time),
  authority: leftOut(z.literal('signed')),
  channels: leftOut(z.array(z.string())),
  callback_url: leftOut(z.string()),
  reminder: leftOut(reminderSchema),
  on_undelivered: leftOut(z.literal('escalate')),
  deliveries: leftOut(z.array(deliverySchema)),
};

/** An open human request of a run: the `Request` of the command line. */
export const pendingRequestSchema = passedOn(ofRequest).openapi('PendingRequest');

/** The same, and the procedure whose run asks it. */
export const humanRequestSchema = passedOn({ ...ofRequest, procedure: z.string() }).openapi('HumanRequest');

/** A request that is open no more, and what became of it. */
export const closedRequestSchema = z
  .object({
    id: z.string(),
    run_id: z.string(),
    position: z.string(),
    kind: z.string(),
    message: z.string(),
    asked: jsonValue.openapi({ description: 'What was asked, as the log has it' }),
    answer: jsonValue.openapi({
      description: '{value, by, comment, timed_out}; null where it ended with an error',
    }),
    error: z.string().nullable(),
    created_at: time.openapi({
      description:
        'When it was asked. After a run that continued as new meanwhile: when the run asked for it again',
    }),
    closed_at: time,
  })
  .openapi('ClosedRequest');
export type ClosedRequest = z.infer<typeof closedRequestSchema>;

export const requestStateSchema = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('open'), request: humanRequestSchema }),
    z.object({ state: z.literal('closed'), request: closedRequestSchema }),
  ])
  .openapi('RequestState');
export type RequestState = z.infer<typeof requestStateSchema>;

export const requestListSchema = z
  .object({
    source: z.enum(['index', 'runs']),
    requests: z.array(humanRequestSchema),
    next: z.string().nullable().openapi({ description: '`after` of the next page; null at the end' }),
    missing: z
      .array(z.object({ run_id: z.string(), reason: z.string() }))
      .openapi({ description: 'Runs whose requests are not among these, as they could not be asked' }),
  })
  .openapi('RequestList');
export type RequestPage = z.infer<typeof requestListSchema>;

const who = plainWord(500);

/** What all decisions have. `by` can't be another than who is signed in. */
const decision = z.strictObject({
  by: who.optional().openapi({ description: 'Who decides. Left out: who is signed in' }),
  comment: z.string().optional(),
  digest: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .openapi({ description: 'Of the request as the person saw it' }),
  id: plainWord(500).optional().openapi({ description: 'Names this decision: sent twice, it is one' }),
  early: z.boolean().optional().openapi({
    description:
      "Keeps the decision where the request isn't open yet, though nobody has seen what it asks. Without it, and without a digest, it is refused as `unknown`",
  }),
});

export const decideBody = decision.extend({ value: jsonValue }).openapi('Decide');
export const delegateBody = decision.extend({ to: who }).openapi('Delegate');
export const withdrawBody = decision.openapi('Withdraw');

export const verdictSchema = z
  .object({ id: z.string(), outcome: z.enum(decisionOutcomes), message: z.string() })
  .openapi('Verdict');
