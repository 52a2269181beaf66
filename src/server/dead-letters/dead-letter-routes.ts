import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { dropDeadLetter, findDeadLetter, listDeadLetters, requeueDeadLetter } from '../../client/index.js';
import { defined } from '../../contract/json/json.js';
import { runStatuses } from '../../contract/runs/run-view.js';
import { count, json, namespaceParams, plainWord, problems, runId } from '../http/common.schema.js';
import { reply } from '../http/reply.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { askingOf } from '../served-namespace.js';
import {
  deadLetterListSchema,
  deadLetterSchema,
  dropBody,
  letterParams,
  requeueBody,
} from './dead-letter.schema.js';

const tags = ['dead letters'];
const letters = '/api/v1/namespaces/{namespace}/dead-letters';

/** Codes of errors, separated by commas. */
const codes = plainWord(2_000)
  .transform((text) => text.split(',').map((code) => code.trim()))
  .openapi({ type: 'string', example: 'model_call_failed,http_failed' });

const list = createRoute({
  method: 'get',
  path: letters,
  operationId: 'listDeadLetters',
  summary:
    'Calls that gave up and ended their run, and intents that nobody sends, those of the newest runs first',
  tags,
  request: {
    params: namespaceParams,
    query: z.object({
      run: runId.optional().openapi({ description: 'Of this run only' }),
      procedure: plainWord(500).optional(),
      status: z.enum(runStatuses).optional().openapi({ description: 'Of runs with this status only' }),
      prefix: plainWord(1_000).optional().openapi({ description: 'How the id of the run begins' }),
      include_errors: codes.optional(),
      exclude_errors: codes.optional(),
      max_delivery_count: count(1, 1_000_000).optional(),
      all: z.enum(['true', 'false']).optional().openapi({
        description: 'true: with those that were requeued, sent or dropped',
      }),
      limit: count(1, 200).optional().openapi({ description: 'At most so many; 50 where it is left out' }),
      after: z.string().max(20_000).optional().openapi({ description: '`next` of the page before' }),
    }),
  },
  responses: { 200: json(deadLetterListSchema, 'A page of dead letters'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: `${letters}/{letter}`,
  operationId: 'readDeadLetter',
  summary: 'One dead letter',
  tags,
  request: { params: letterParams },
  responses: { 200: json(deadLetterSchema, 'The dead letter'), ...problems },
});

const requeue = createRoute({
  method: 'post',
  path: `${letters}/{letter}/requeue`,
  operationId: 'requeueDeadLetter',
  summary:
    'Try a dead letter again: another run goes on with all that succeeded, or the intent is sent under its own key',
  tags,
  request: {
    params: letterParams,
    body: { required: true, content: { 'application/json': { schema: requeueBody } } },
  },
  responses: { 202: json(deadLetterSchema, 'It is asked for, or was before'), ...problems },
});

const drop = createRoute({
  method: 'post',
  path: `${letters}/{letter}/drop`,
  operationId: 'dropDeadLetter',
  summary: 'Drop a dead letter: lists leave it out, and nothing is sent or started',
  tags,
  request: {
    params: letterParams,
    body: { required: true, content: { 'application/json': { schema: dropBody } } },
  },
  responses: { 200: json(deadLetterSchema, 'The dead letter, dropped'), ...problems },
});

/** Dead letters: whoever may read sees them, whoever may operate settles them. */
export function deadLetterRoutes(app: OpenAPIHono<ServerEnv>, { namespaces }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const namespace = namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'read');
    const {
      include_errors,
      exclude_errors,
      max_delivery_count,
      all,
      limit = 50,
      ...filter
    } = c.req.valid('query');
    const policy = defined({
      includeErrors: include_errors,
      excludeErrors: exclude_errors,
      maxDeliveryCount: max_delivery_count,
    });
    const wanted = { ...filter, ...policy, limit, isSettledToo: all === 'true' };
    return reply(c, 200, await listDeadLetters(namespace.tactus, wanted, askingOf(namespace)));
  });
  app.openapi(read, async (c) => {
    const { namespace: name, letter: id } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'read');
    const { letter } = await findDeadLetter(namespace.tactus, id, askingOf(namespace));
    return reply(c, 200, letter);
  });
  app.openapi(requeue, async (c) => {
    const { namespace: name, letter: id } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'operate');
    const options = { by: c.get('identity').name, ...defined(c.req.valid('json')) };
    const { letter } = await requeueDeadLetter(namespace.tactus, id, options, askingOf(namespace));
    c.set('audit', { run: letter.run_id });
    return reply(c, 202, letter);
  });
  app.openapi(drop, async (c) => {
    const { namespace: name, letter: id } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'operate');
    const options = { by: c.get('identity').name, ...defined(c.req.valid('json')) };
    const letter = await dropDeadLetter(namespace.tactus, id, options, askingOf(namespace));
    c.set('audit', { run: letter.run_id });
    return reply(c, 200, letter);
  });
}
