import { z } from '@hono/zod-openapi';
import { runStatuses } from '../../contract/runs/run-view.js';
import { orNull, passedOn, plainWord, time } from '../http/common.schema.js';

const scoreSchema = passedOn({
  name: z.string(),
  value: z.union([z.number(), z.boolean()]),
  by: z.string().nullable(),
  comment: z.string().nullable(),
  at: time,
}).openapi('Score');

export const scoresSchema = passedOn({
  run_id: z.string(),
  scores: z
    .array(scoreSchema)
    .openapi({ description: 'The newest of each name and person, the oldest first' }),
  earlier: z.array(scoreSchema).openapi({ description: 'What later ones have taken the place of' }),
}).openapi('Scores');

export const scoreBody = z
  .strictObject({
    name: plainWord(63).openapi({ example: 'quality' }),
    value: z.union([z.number(), z.boolean()]),
    by: plainWord(200).optional().openapi({ description: 'Where nobody is signed in: who gives it' }),
    comment: z.string().max(1_000).optional(),
  })
  .openapi('ScoreRequest');

const estimateSchema = passedOn({
  count: z.number().int().openapi({ description: 'How many runs it is made of' }),
  mean: z.number(),
  low: z.number().nullable(),
  high: z
    .number()
    .nullable()
    .openapi({ description: 'Interval that covers the true mean in 95 of 100 samples' }),
}).openapi('Estimate');

export const comparisonSchema = passedOn({
  name: z.string(),
  by: z.enum(['version', 'variant']),
  runs: z.number().int(),
  is_cut: z.boolean().openapi({ description: 'There are more runs than were looked at' }),
  groups: z.array(
    passedOn({
      group: z.string().nullable(),
      runs: z.number().int(),
      by_status: z.partialRecord(z.enum(runStatuses), z.number().int()),
      scores: z.record(z.string(), estimateSchema),
      cost_usd: orNull(estimateSchema),
      seconds: orNull(estimateSchema),
      decisions: passedOn({ decided: z.number().int(), approved: z.number().int() }),
    }),
  ),
}).openapi('Comparison');
