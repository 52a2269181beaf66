import { z } from '@hono/zod-openapi';
import { decisionOutcomes } from '../../contract/people/decision.js';
import { jsonObject, jsonValue, plainWord } from '../http/common.schema.js';

export const requestKinds = [
  'approval',
  'input',
  'review',
  'select',
  'multiple',
  'upload',
  'escalation',
] as const;
const time = z.string().openapi({ format: 'date-time' });
const option = z.union([z.string(), z.number()]);

/** An open human request: the `Request` of the command line, and the procedure whose run asks it. */
export const humanRequestSchema = z
  .looseObject({
    id: z.string(),
    run_id: z.string(),
    procedure: z.string(),
    kind: z.enum(requestKinds),
    message: z.string(),
    context: jsonValue,
    options: z.array(option),
    form: jsonObject
      .optional()
      .openapi({ description: 'What an answer is made of, where the kind alone does not say' }),
    default: jsonValue,
    deadline: time.nullable(),
    created_at: time,
    position: z.string(),
    approvers: z.array(z.string()),
    metadata: jsonObject.optional(),
    origin: jsonObject
      .optional()
      .openapi({ description: 'An agent of another system that wants the answer, and acts on it itself' }),
    by_host: z.literal(true).optional().openapi({
      description: 'The host asks, and no procedure: message and context are its own words',
    }),
    digest: z
      .string()
      .openapi({ description: 'Goes back with a decision: it counts for what was shown alone' }),
    quorum: z.number().int().optional(),
    votes: z.array(jsonObject).optional(),
    requester: z.string().optional(),
    on_timeout: z.literal('error').optional(),
    escalation: z.array(jsonObject).optional(),
    delegated: z.array(jsonObject).optional(),
  })
  .openapi('HumanRequest');

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
    created_at: time.openapi({ description: 'When it was asked' }),
    closed_at: time,
  })
  .openapi('ClosedRequest');

export const requestStateSchema = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('open'), request: humanRequestSchema }),
    z.object({ state: z.literal('closed'), request: closedRequestSchema }),
  ])
  .openapi('RequestState');

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
