import { z } from '@hono/zod-openapi';
import { pausedDeadlines } from '../../contract/changes/pause.js';
import { orNull, passedOn } from '../http/common.schema.js';
import { pausedSchema, waitSchema } from '../runs/run.schema.js';

export const pauseBody = z
  .strictObject({
    reason: z.string().min(1).max(1_000).optional(),
    deadlines: z.enum(pausedDeadlines).optional().openapi({
      description:
        'go_on, as where it is left out; or stand_still: sleeps, waits and requests have their whole time afterwards',
    }),
  })
  .openapi('PauseRequest');

export const unpauseBody = z.strictObject({}).openapi('UnpauseRequest');

export const pauseAnswerSchema = passedOn({
  status: z.enum(['paused', 'running', 'ended']),
  changed: z.boolean(),
  paused: orNull(pausedSchema),
  waiting_for: z.array(waitSchema),
  waiting: z.number().int(),
}).openapi('PauseAnswer');
