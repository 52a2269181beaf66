import { z } from '@hono/zod-openapi';
import { letterStates } from '../../contract/dead-letters/dead-letter.js';
import { runStatuses } from '../../contract/runs/run-view.js';
import { errorCode, jsonValue, namespaceParams, passedOn, plainWord, time } from '../http/common.schema.js';

export const letterParams = namespaceParams.extend({
  letter: plainWord(2_000).openapi({
    description: 'Id of a dead letter. In a path, `/` is written `%2F`.',
    example: 'review-7/3',
    param: { name: 'letter', in: 'path' },
  }),
});

/** A call that gave up, as `dlq` of the command line shows it. */
export const deadLetterSchema = passedOn({
  id: z.string(),
  kind: z.enum(['call', 'intent']),
  state: z.enum(letterStates),
  run_id: z.string(),
  procedure: z.string(),
  run_status: z.enum(runStatuses),
  position: z.string().nullable(),
  type: z.string(),
  name: z.string(),
  key: z.string().nullable().openapi({ description: 'By which a receiver knows an intent' }),
  payload: jsonValue,
  error: passedOn({ code: errorCode.nullable(), message: z.string() })
    .nullable()
    .openapi({ description: 'null: it was never tried' }),
  attempts: z.number().int(),
  failed_at: time.nullable(),
  source: z.object({ file: z.string(), line: z.number().int() }).nullable(),
  requeued_as: z
    .string()
    .nullable()
    .openapi({ description: 'The run that goes on in place of the failed one' }),
  dropped: z.object({ by: z.string().nullable(), at: time, reason: z.string().nullable() }).nullable(),
}).openapi('DeadLetter');

export const deadLetterListSchema = z
  .object({
    dead_letters: z.array(deadLetterSchema),
    looked_at: z.number().int().openapi({ description: 'How many runs were looked at for the page' }),
    missing: z.array(z.object({ run_id: z.string(), reason: z.string() })).openapi({
      description: 'Runs that could not be read',
    }),
    next: z.string().nullable().openapi({ description: '`after` of the next page; null at the end' }),
  })
  .openapi('DeadLetterList');
export type DeadLetterPage = z.infer<typeof deadLetterListSchema>;

export const requeueBody = z
  .strictObject({
    again: z.boolean().optional().openapi({
      description: 'Also if nobody knows whether the call was done',
    }),
  })
  .openapi('Requeue');

export const dropBody = z.strictObject({ reason: z.string().max(1_000).optional() }).openapi('Drop');
