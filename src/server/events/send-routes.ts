import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import { temporalIdentity } from '../access/identity.js';
import { TactusError } from '../../contract/errors.js';
import { RequestProblem } from '../http/problem.js';
import { reply } from '../http/reply.js';
import { json, jsonValue, plainWord, problems, runParams } from '../http/common.schema.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';
import type { JsonValue } from '../../contract/json/json.js';
import { describeRun } from '../../client/index.js';

const tags = ['events'];
const eventName = plainWord(500);

const sentSchema = z.object({ run_id: z.string(), event: z.string(), id: z.string() }).openapi('SentEvent');

const send = createRoute({
  method: 'post',
  path: '/api/v1/namespaces/{namespace}/runs/{run}/events',
  operationId: 'sendEvent',
  summary: 'Send an event, for which the procedure waits with Event.wait',
  tags,
  request: {
    params: runParams,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({
              name: eventName,
              value: jsonValue.optional(),
              id: plainWord(500)
                .optional()
                .openapi({ description: 'Sent again under the same, it is one event' }),
            })
            .openapi('Event'),
        },
      },
    },
  },
  responses: { 202: json(sentSchema, 'The run has it, or had it'), ...problems },
});

const hook = createRoute({
  method: 'post',
  path: '/hooks/{hook}',
  operationId: 'receiveWebhook',
  summary: 'A message of a sender that configuration names, signed by it, as an event',
  tags,
  security: [],
  request: {
    params: z.object({
      hook: z
        .string()
        .max(100)
        .openapi({ param: { name: 'hook', in: 'path' }, example: 'payments' }),
    }),
    body: { content: { '*/*': { schema: z.any() } } },
  },
  responses: { 202: json(sentSchema, 'The run has it, or had it'), ...problems },
});

/** Events, from who is signed in, and from senders that sign their messages. */
export function sendRoutes(app: OpenAPIHono<ServerEnv>, deps: ServerDeps): void {
  const { namespaces, webhooks, rateLimits } = deps;
  app.openapi(send, async (c) => {
    const { namespace: name, run } = c.req.valid('param');
    const identity = c.get('identity');
    const namespace = namespaces.open(name, identity, 'operate');
    const { name: event, value = null, id = randomUUID() } = c.req.valid('json');
    await sendEvent(namespace, run, { name: event, value, id: `api\n${identity.name ?? ''}\n${id}` });
    return reply(c, 202, { run_id: run, event, id });
  });
  app.openapi(hook, async (c) => {
    const { hook: name } = c.req.valid('param');
    const body = Buffer.from(await c.req.arrayBuffer());
    const message = { header: (header: string) => c.req.header(header), body };
    const sent = await rateLimits.countingFailures(c, () => webhooks.read(name, message));
    const { namespace: place, run, event, value, id } = sent;
    c.set('audit', { namespace: place, run, hook: name });
    await rateLimits.countSender(name);
    const namespace = namespaces.get(place);
    if (!eventName.safeParse(event).success || !plainWord(1_000).safeParse(run).success)
      throw new RequestProblem(
        400,
        'usage',
        'The message names a run or an event that can have no such name',
      );
    if (namespace === undefined) throw new TactusError('run_not_found', `There is no run ${run}`);
    const named = { name: event, value, id: `hook\n${id}` };
    const tactus = namespace.tactus.as(temporalIdentity('webhook', name));
    await webhooks.once(sent, () => sendEvent({ ...namespace, tactus }, run, named));
    return reply(c, 202, { run_id: run, event, id: id.slice(id.indexOf('\n') + 1) });
  });
}

/**
 * Sends an event to a run. Under the same id it is one, however often it is sent.
 * @throws TactusError run_not_found; run_conflict where the run has ended; payload_too_large
 */
async function sendEvent(
  namespace: ServedNamespace,
  runId: string,
  { name, value, id }: { name: string; value: JsonValue; id: string },
): Promise<void> {
  const run = namespace.tactus.attach(runId);
  const { look } = askingOf(namespace);
  // A workflow that is no run of ours gets no signal of ours.
  const { closeTime } = await look(() => describeRun(run));
  if (closeTime !== undefined)
    throw new TactusError('run_conflict', `${runId} has ended: nobody waits for ${JSON.stringify(name)}`);
  await look(() => run.send(name, value, id));
}
