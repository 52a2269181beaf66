import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi';
import { defined } from '../../contract/json/json.js';
import { json, problems, runParams } from '../http/common.schema.js';
import { reply } from '../http/reply.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { askingOf } from '../served-namespace.js';
import { shortActorOf } from '../access/identity.js';
import { describeOpen } from '../runs/describe-open.js';
import { pauseAnswerSchema, pauseBody, unpauseBody } from './pause.schema.js';

const run = '/api/v1/namespaces/{namespace}/runs/{run}';

const changing = <Body extends z.ZodType>(verb: 'pause' | 'unpause', summary: string, schema: Body) =>
  createRoute({
    method: 'post',
    path: `${run}/${verb}` as '/api/v1/namespaces/{namespace}/runs/{run}/pause',
    operationId: `${verb}Run`,
    summary,
    tags: ['runs'],
    request: { params: runParams, body: { required: true, content: { 'application/json': { schema } } } },
    responses: { 200: json(pauseAnswerSchema, 'How the run stands, and what is under way'), ...problems },
  });

const pause = changing('pause', 'Let what is under way end, and begin nothing new', pauseBody);
const unpause = changing('unpause', 'Let a paused run go on', unpauseBody);

/** Runs stand still, and go on. */
export function pauseRoutes(app: OpenAPIHono<ServerEnv>, { namespaces }: ServerDeps): void {
  app.openapi(pause, async (c) => {
    const { namespace: name, run: id } = c.req.valid('param');
    const identity = c.get('identity');
    const namespace = namespaces.open(name, identity, 'operate');
    const { ask, look } = askingOf(namespace);
    const found = namespace.tactus.attach(id);
    await look(() => describeOpen(found));
    return reply(
      c,
      200,
      await ask(() => found.pause(defined({ by: shortActorOf(identity), ...c.req.valid('json') })), true),
    );
  });
  app.openapi(unpause, async (c) => {
    const { namespace: name, run: id } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'operate');
    const { ask, look } = askingOf(namespace);
    const found = namespace.tactus.attach(id);
    await look(() => describeOpen(found));
    return reply(c, 200, await ask(() => found.unpause(), true));
  });
}
