import { z } from '@hono/zod-openapi';
import { jsonValue, plainWord, time } from '../http/common.schema.js';
import { closedRequestSchema, humanRequestSchema } from './request.schema.js';

/** What all that a link leads to has. */
const ofLink = {
  approver: z.string().openapi({ description: 'Who answers by it' }),
  expires_at: time.openapi({ description: 'When the link ends' }),
};

/** How it stands with a request, for whoever has a link to it. */
export const linkedStateSchema = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('open'), request: humanRequestSchema, ...ofLink }),
    z
      .object({ state: z.literal('voted'), value: jsonValue, at: time, ...ofLink })
      .openapi({ description: 'This person has answered, and others must, too' }),
    z.object({ state: z.literal('closed'), request: closedRequestSchema, ...ofLink }),
    z.object({ state: z.literal('expired'), at: time, ...ofLink }),
    z
      .object({ state: z.literal('changed'), ...ofLink })
      .openapi({ description: 'Something else is asked now than the link was made for' }),
    z.object({ state: z.literal('gone'), ...ofLink }),
    z
      .object({ state: z.literal('not_allowed'), reason: z.string(), ...ofLink })
      .openapi({ description: 'Somebody else is to answer now' }),
  ])
  .openapi('LinkedState');
export type LinkedState = z.infer<typeof linkedStateSchema>;

/** The digest and who answers stand in the link. */
export const linkedBody = z
  .strictObject({
    value: jsonValue,
    comment: z.string().optional(),
    id: plainWord(500).optional().openapi({ description: 'Names this answer: sent twice, it is one' }),
  })
  .openapi('AnswerByLink');
