import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { highestRate } from '../../contract/changes/hold.js';
import { defined } from '../../contract/json/json.js';
import { json, namespaceParams, problems } from '../http/common.schema.js';
import { reply } from '../http/reply.js';
import { holdSchema } from '../runs/run.schema.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { shortActorOf } from '../access/identity.js';
import { askingOf } from '../served-namespace.js';

const path = '/api/v1/namespaces/{namespace}/holds' as const;
const target = z.string().min(1).max(200).openapi({ description: 'Such as provider:openai or tool:crm.*' });
const holdsAnswer = z.object({ holds: z.array(holdSchema) }).openapi('Holds');
const addBody = z
  .strictObject({
    target,
    reason: z.string().min(1).max(500),
    until: z.iso.datetime({ offset: true }).optional().openapi({ description: 'It ends by itself then' }),
  })
  .openapi('HoldRequest');
const releaseBody = z
  .strictObject({
    target,
    rate: z.number().positive().max(highestRate).optional().openapi({
      description: 'How many calls begin each second; left out: all at once',
    }),
  })
  .openapi('HoldReleaseRequest');
const answer = { 200: json(holdsAnswer, 'What is held'), ...problems };

const list = createRoute({
  ...{ method: 'get', path, operationId: 'listHolds', summary: 'What is held, and how much waits' },
  ...{ tags: ['runs'], request: { params: namespaceParams }, responses: answer },
});
const add = createRoute({
  ...{ method: 'post', path, operationId: 'addHold', summary: 'Hold calls of many runs', tags: ['runs'] },
  request: {
    params: namespaceParams,
    body: { required: true, content: { 'application/json': { schema: addBody } } },
  },
  responses: answer,
});
const release = createRoute({
  ...{ method: 'post', path: `${path}/release` as const, operationId: 'releaseHold', tags: ['runs'] },
  summary: 'Let what is held begin',
  request: {
    params: namespaceParams,
    body: { required: true, content: { 'application/json': { schema: releaseBody } } },
  },
  responses: answer,
});

/** Holds over many runs. */
export function holdRoutes(app: OpenAPIHono<ServerEnv>, { namespaces }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const namespace = namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'read');
    const { look } = askingOf(namespace);
    return reply(c, 200, { holds: await look(() => namespace.tactus.holds.list()) });
  });
  app.openapi(add, async (c) => {
    const identity = c.get('identity');
    const namespace = namespaces.open(c.req.valid('param').namespace, identity, 'operate');
    const { ask } = askingOf(namespace);
    const { target: held, reason, until } = c.req.valid('json');
    const end = until === undefined ? undefined : new Date(until);
    const options = { reason, ...defined({ by: shortActorOf(identity), until: end }) };
    return reply(c, 200, { holds: await ask(() => namespace.tactus.holds.add(held, options), true) });
  });
  app.openapi(release, async (c) => {
    const namespace = namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'operate');
    const { ask } = askingOf(namespace);
    const { target: held, rate } = c.req.valid('json');
    const released = await ask(() => namespace.tactus.holds.release(held, defined({ rate })), true);
    return reply(c, 200, { holds: released });
  });
}
