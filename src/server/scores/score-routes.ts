import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { defined } from '../../contract/json/json.js';
import { count, json, namespaceParams, plainWord, problems, runParams } from '../http/common.schema.js';
import { reply } from '../http/reply.js';
import { shortActorOf } from '../access/identity.js';
import { askingOf } from '../served-namespace.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { comparisonSchema, scoreBody, scoresSchema } from './score.schema.js';

const tags = ['scores'];
const namespacePath = '/api/v1/namespaces/{namespace}';
const scores = `${namespacePath}/runs/{run}/scores` as const;

const add = createRoute({
  method: 'post',
  path: scores,
  operationId: 'scoreRun',
  summary: 'Score a run, also after its end',
  tags,
  request: {
    params: runParams,
    body: { required: true, content: { 'application/json': { schema: scoreBody } } },
  },
  responses: { 200: json(scoresSchema, 'All scores of the run'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: scores,
  operationId: 'readScores',
  summary: 'The scores of a run',
  tags,
  request: { params: runParams },
  responses: { 200: json(scoresSchema, 'The scores'), ...problems },
});

const compare = createRoute({
  method: 'get',
  path: `${namespacePath}/compare`,
  operationId: 'compareRuns',
  summary: 'Runs of a procedure, compared by their version or their variants',
  tags,
  request: {
    params: namespaceParams,
    query: z.object({
      procedure: plainWord(500),
      by: z.enum(['version', 'variant']),
      since: z.iso.datetime().optional(),
      limit: count(1, 10_000)
        .optional()
        .openapi({ description: 'The newest so many; 1000 where it is left out' }),
    }),
  },
  responses: { 200: json(comparisonSchema, 'What the runs of each group came to'), ...problems },
});

/** What people think of runs, and what follows from that. */
export function scoreRoutes(app: OpenAPIHono<ServerEnv>, { namespaces }: ServerDeps): void {
  app.openapi(add, async (c) => {
    const { namespace: name, run } = c.req.valid('param');
    const identity = c.get('identity');
    const namespace = namespaces.open(name, identity, 'decide');
    const { name: given, value, by, comment } = c.req.valid('json');
    const { ask } = askingOf(namespace);
    const options = defined({ by: shortActorOf(identity, by), comment });
    return reply(c, 200, await ask(() => namespace.tactus.scores.add(run, given, value, options), true));
  });
  app.openapi(read, async (c) => {
    const { namespace: name, run } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'read');
    return reply(c, 200, await askingOf(namespace).look(() => namespace.tactus.scores.read(run)));
  });
  app.openapi(compare, async (c) => {
    const namespace = namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'read');
    const { procedure, ...options } = c.req.valid('query');
    const { look } = askingOf(namespace);
    return reply(c, 200, await look(() => namespace.tactus.compare(procedure, defined(options))));
  });
}
