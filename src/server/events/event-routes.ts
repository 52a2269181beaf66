import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { describeRun } from '../../client/index.js';
import { followRun, readLastEventId } from './run-events.js';
import { namespaceParams, problems, runParams } from '../http/common.schema.js';
import { askingOf } from '../served-namespace.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';

const tags = ['events'];
const headers = z.object({
  'last-event-id': z
    .string()
    .max(200)
    .optional()
    .openapi({ description: 'The `id` of the last event that was seen: it goes on after that' }),
});
const stream = (description: string) => ({
  description,
  content: { 'text/event-stream': { schema: z.string() } },
});

const changes = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/events',
  operationId: 'followNamespace',
  summary: 'What changes in the namespace, as server-sent events',
  description:
    '`run` with a run as it is listed, `request` with `{id, run_id, state}`, and `reset` where what was missed is not known: then all is to be read again.',
  tags,
  request: { params: namespaceParams, headers },
  responses: { 200: stream('Events, until the reader leaves'), ...problems },
});

const ofRun = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/runs/{run}/events',
  operationId: 'followRun',
  summary: 'A run as it goes, as server-sent events',
  description:
    '`status` with the run as it stands, first and whenever it has moved; `stream` with what agents say and do (docs/streaming.md); `end` when it has closed and all is told.',
  tags,
  request: { params: runParams, headers },
  responses: {
    200: stream('Events, until the run has ended'),
    204: { description: 'All was seen, and the run has ended: a browser does not come again' },
    ...problems,
  },
});

/** What goes on, for those who look on. */
export function eventRoutes(app: OpenAPIHono<ServerEnv>, deps: ServerDeps): void {
  const { namespaces, streams, eventStreams, onTrouble } = deps;
  app.openapi(changes, (c) => {
    const { watch } = namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'read');
    const last = c.req.valid('header')['last-event-id'];
    return eventStreams.answer(c, (send, signal) => watch.follow(last, signal, send), onTrouble);
  });
  app.openapi(ofRun, async (c) => {
    const { namespace: name, run: runId } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'read');
    const seen = readLastEventId(c.req.valid('header')['last-event-id']);
    await askingOf(namespace).look(() => describeRun(namespace.tactus.attach(runId)));
    if (seen.ended) return c.body(null, 204);
    return eventStreams.answer(
      c,
      (send, signal) => followRun({ namespace, runId, streams, seen, signal }, send),
      onTrouble,
    );
  });
}
