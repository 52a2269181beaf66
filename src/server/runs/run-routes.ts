import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { defined } from '../../contract/json/json.js';
import { describeRun, viewRun } from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';
import { mostLabels, readLabels } from '../../contract/runs/labels.js';
import { runStatuses } from '../../contract/runs/run-view.js';
import type { TraceContext } from '../../contract/traces/trace-context.js';
import { inRequestSpan } from '../traces/request-span.js';
import { reply } from '../http/reply.js';
import {
  count,
  json,
  jsonObject,
  namespaceParams,
  plainWord,
  problems,
  runParams,
} from '../http/common.schema.js';
import { logSchema, printedSchema } from './log.schema.js';
import { endBody, endedSchema, runListSchema, runSchema, startBody, startedSchema } from './run.schema.js';
import { describeOpen } from './describe-open.js';
import type { Identity, Role } from '../access/identity.js';
import { askingOf, runPage, type Procedures, type ServedNamespace } from '../served-namespace.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { readDuration } from '../../contract/time/duration.js';
import { procedureName } from '../../contract/procedures/source.js';

const tags = ['runs'];
const runs = '/api/v1/namespaces/{namespace}/runs';
const mostListed = 200;
/** A run has fewer checkpoints and lines than that. */
const mostNumbers = 100_000_000;

const list = createRoute({
  method: 'get',
  path: runs,
  operationId: 'listRuns',
  summary: 'Runs, the newest first',
  tags,
  request: {
    params: namespaceParams,
    query: z.object({
      status: z.enum(runStatuses).optional(),
      procedure: plainWord(500).optional(),
      prefix: plainWord(1_000).optional().openapi({ description: 'How the id begins' }),
      label: z
        .union([plainWord(200), z.array(plainWord(200)).max(mostLabels)])
        .optional()
        .openapi({ description: 'With this label, or all of these', example: 'team=crm' }),
      forked_from: plainWord(1_000).optional().openapi({ description: 'Forks of this run' }),
      open: z
        .enum(['true', 'false'])
        .optional()
        .openapi({ description: 'true: only those that have not ended' }),
      q: z.string().max(200).optional().openapi({ description: 'Found in id or procedure' }),
      limit: count(1, mostListed)
        .optional()
        .openapi({ description: 'At most so many; 50 where it is left out' }),
      after: z.string().max(10_000).optional().openapi({ description: '`next` of the page before' }),
    }),
  },
  responses: { 200: json(runListSchema, 'A page of runs'), ...problems },
});

const start = createRoute({
  method: 'post',
  path: runs,
  operationId: 'startRun',
  summary: 'Start a procedure by its name',
  tags,
  request: {
    params: namespaceParams,
    body: { required: true, content: { 'application/json': { schema: startBody } } },
  },
  responses: { 201: json(startedSchema, 'The run, also where it was there before'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: `${runs}/{run}`,
  operationId: 'readRun',
  summary: 'One run: how it stands, its state and output, what it asks and waits for, what it has cost',
  tags,
  request: { params: runParams },
  responses: { 200: json(runSchema, 'The run'), ...problems },
});

const state = createRoute({
  method: 'get',
  path: `${runs}/{run}/state`,
  operationId: 'readState',
  summary: 'The whole state of a run',
  tags,
  request: { params: runParams },
  responses: { 200: json(jsonObject, 'The state'), ...problems },
});

const ofPass = z.object({
  from: count(0, mostNumbers)
    .optional()
    .openapi({ description: '`next` of the page before; 0 where it is left out' }),
  execution: z.uuid().optional().openapi({
    description:
      'Reads an earlier pass of a run that began again: `pass.execution` in the answer for the pass after it. Left out: the newest pass',
  }),
});

const log = createRoute({
  method: 'get',
  path: `${runs}/{run}/log`,
  operationId: 'readLog',
  summary: 'The execution log of a run, page by page',
  tags,
  request: { params: runParams, query: ofPass },
  responses: { 200: json(logSchema, 'A page of the log'), ...problems },
});

const printed = createRoute({
  method: 'get',
  path: `${runs}/{run}/printed`,
  operationId: 'readPrinted',
  summary: 'What a run has printed, logged and warned of, page by page',
  tags,
  request: { params: runParams, query: ofPass },
  responses: { 200: json(printedSchema, 'A page of lines'), ...problems },
});

const ending = (verb: 'cancel' | 'terminate', summary: string) =>
  createRoute({
    method: 'post',
    path: `${runs}/{run}/${verb}` as '/api/v1/namespaces/{namespace}/runs/{run}/cancel',
    operationId: `${verb}Run`,
    summary,
    tags,
    request: {
      params: runParams,
      body: { required: true, content: { 'application/json': { schema: endBody } } },
    },
    responses: { 202: json(endedSchema, 'It is asked for'), ...problems },
  });

const cancel = ending('cancel', 'Ask a run to end; it cleans up first');
const terminate = ending('terminate', 'End a run at once, without a word to it');

/** What runs there are, and how one is started, read and ended. */
export function runRoutes(app: OpenAPIHono<ServerEnv>, { namespaces, procedures, traces }: ServerDeps): void {
  const opened = (
    c: { get: (key: 'identity') => ServerEnv['Variables']['identity'] },
    name: string,
    role: Role,
  ) => namespaces.open(name, c.get('identity'), role);

  app.openapi(list, async (c) => {
    const namespace = opened(c, c.req.valid('param').namespace, 'read');
    const { q: text, open, label, forked_from: forkedFrom, limit = 50, ...query } = c.req.valid('query');
    const labels = label === undefined ? undefined : readLabels([label].flat());
    const filter = { ...query, ...defined({ labels, forkedFrom }), text, limit, isOpen: open === 'true' };
    return reply(c, 200, await runPage(namespace, filter));
  });
  app.openapi(start, async (c) => {
    const namespace = opened(c, c.req.valid('param').namespace, 'operate');
    const request = { method: 'POST', route: runs, header: (name: string) => c.req.header(name) };
    const started = await inRequestSpan(traces, request, (trace) =>
      startRun(namespace, procedures, { ...c.get('identity'), trace }, c.req.valid('json')),
    );
    c.set('audit', { run: started.run_id });
    return reply(c, 201, started);
  });
  app.openapi(read, async (c) => {
    const { namespace: name, run } = c.req.valid('param');
    const namespace = opened(c, name, 'read');
    return reply(c, 200, await viewRun(namespace.tactus.attach(run), askingOf(namespace)));
  });
  const asked = async <T>(
    name: string,
    c: Parameters<typeof opened>[0],
    id: string,
    question: Question<T>,
    execution?: string,
  ) => {
    const namespace = opened(c, name, 'read');
    const newest = namespace.tactus.attach(id);
    const run = execution === undefined ? newest : newest.inExecution(execution);
    const { ask, look } = askingOf(namespace);
    // A workflow that is no run of ours isn't asked.
    await look(() => describeRun(run));
    return ask(() => question(run), true);
  };
  app.openapi(state, async (c) => {
    const { namespace, run } = c.req.valid('param');
    return reply(c, 200, await asked(namespace, c, run, (each) => each.state()));
  });
  app.openapi(log, async (c) => {
    const { namespace, run } = c.req.valid('param');
    const { from: first = 0, execution } = c.req.valid('query');
    return reply(c, 200, await asked(namespace, c, run, (each) => each.logPage(first), execution));
  });
  app.openapi(printed, async (c) => {
    const { namespace, run } = c.req.valid('param');
    const { from: first = 0, execution } = c.req.valid('query');
    return reply(c, 200, await asked(namespace, c, run, (each) => each.shown(first), execution));
  });

  app.openapi(cancel, async (c) => {
    const { namespace: name, run } = c.req.valid('param');
    const namespace = opened(c, name, 'operate');
    await askingOf(namespace).look(() => describeOpen(namespace.tactus.attach(run)));
    await namespace.tactus.attach(run).cancel(c.req.valid('json').reason);
    return reply(c, 202, { run_id: run, asked: 'cancel' as const });
  });
  app.openapi(terminate, async (c) => {
    const { namespace: name, run } = c.req.valid('param');
    const namespace = opened(c, name, 'operate');
    await askingOf(namespace).look(() => describeOpen(namespace.tactus.attach(run)));
    await namespace.tactus.attach(run).terminate(c.req.valid('json').reason);
    return reply(c, 202, { run_id: run, asked: 'terminate' as const });
  });
}

type Run = Parameters<typeof describeRun>[0];
type Question<T> = (run: Run) => Promise<T>;

/**
 * Starts a published procedure, or else one of the server's folders. The same id, source and input again give the run that is there.
 * @throws TactusError source_not_found, source_invalid, no_procedure, input_invalid, run_conflict, payload_too_large, usage
 */
async function startRun(
  { tactus }: ServedNamespace,
  procedures: Procedures,
  { name: startedBy, trace }: Pick<Identity, 'name'> & { trace: TraceContext | undefined },
  {
    procedure,
    input = {},
    task,
    run_id: runId,
    message_id: messageId,
    labels,
    timeout,
    priority: ranked,
  }: z.infer<typeof startBody>,
): Promise<z.infer<typeof startedSchema>> {
  const longestMs = timeout === undefined ? null : readDuration(timeout, 'timeout', 'usage');
  if (longestMs === 0) throw new TactusError('usage', 'timeout must be longer than 0');
  const priority =
    ranked &&
    defined({
      priorityKey: ranked.priority_key,
      fairnessKey: ranked.fairness_key,
      fairnessWeight: ranked.fairness_weight,
    });
  const given = {
    ...(startedBy === null ? {} : { startedBy }),
    ...defined({ task, runId, messageId, labels, priority, trace }),
    ...(longestMs === null ? {} : { timeout: `${longestMs}ms` }),
  };
  if (await tactus.published.has(procedure)) {
    const options = { ...(await procedures.publishedOptions()), ...given };
    const run = await tactus.published.start(procedure, input, options);
    return { run_id: run.runId, procedure: procedure.replace(/\.tac$/, '') };
  }
  const { source, options } = await procedures.find(procedure);
  const run = await tactus.start(source, input, { ...options, ...given });
  return { run_id: run.runId, procedure: procedureName(source) };
}
