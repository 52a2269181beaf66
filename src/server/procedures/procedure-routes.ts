import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { procedureName } from '../../contract/procedures/source.js';
import { describeRun } from '../../client/index.js';
import { RequestProblem } from '../http/problem.js';
import { graphSchema } from './graph.schema.js';
import { procedureListSchema, procedureSchema } from './procedure.schema.js';
import { reply } from '../http/reply.js';
import { SourceViews } from './drawing/source-views.js';
import { json, namespaceParams, problems, runParams } from '../http/common.schema.js';
import { askingOf } from '../served-namespace.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';

const tags = ['procedures'];

const list = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/procedures',
  operationId: 'listProcedures',
  summary: 'Procedures that can be started',
  tags,
  request: { params: namespaceParams },
  responses: {
    200: json(procedureListSchema, 'Their names'),
    ...problems,
  },
});

const read = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/procedures/{procedure}',
  operationId: 'readProcedure',
  summary: 'What a procedure says of itself: its input, agents, tools, tasks',
  tags,
  request: {
    params: namespaceParams.extend({
      procedure: z
        .string()
        .max(500)
        .openapi({ param: { name: 'procedure', in: 'path' }, example: 'review' }),
    }),
  },
  responses: {
    200: json(procedureSchema, 'The procedure'),
    ...problems,
  },
});

const graph = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/runs/{run}/graph',
  operationId: 'readGraph',
  summary:
    'What the procedure of a run may do, as a graph of its source; the log has the lines that it came by',
  tags,
  request: { params: runParams },
  responses: { 200: json(graphSchema, 'The graph'), ...problems },
});

/** Procedures, before they run and while they do. */
export function procedureRoutes(app: OpenAPIHono<ServerEnv>, { namespaces, procedures }: ServerDeps): void {
  const views = new SourceViews();
  app.openapi(list, async (c) => {
    namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'read');
    return reply(c, 200, { procedures: await procedures.list() });
  });
  app.openapi(read, async (c) => {
    const { namespace, procedure } = c.req.valid('param');
    namespaces.open(namespace, c.get('identity'), 'read');
    const { source } = await procedures.find(procedure);
    return reply(c, 200, { name: procedureName(source), describe: await views.describe(source) });
  });
  app.openapi(graph, async (c) => {
    const { namespace: name, run: id } = c.req.valid('param');
    const namespace = namespaces.open(name, c.get('identity'), 'read');
    const run = namespace.tactus.attach(id);
    const { ask, look } = askingOf(namespace);
    await look(() => describeRun(run));
    const { start } = await ask(() => run.started(), true);
    const drawn = start.source === undefined ? null : await views.graph(start.source);
    if (drawn === null)
      throw new RequestProblem(404, 'source_not_found', `${id} has no source that can be drawn`);
    return reply(c, 200, drawn);
  });
}
