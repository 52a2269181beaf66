import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { decide, readRequest, statusOfOutcome, type SentDecision } from './decide.js';
import { reply } from '../http/reply.js';
import {
  count,
  json,
  namespaceParams,
  plainWord,
  problems,
  requestParams,
  runId,
} from '../http/common.schema.js';
import {
  decideBody,
  delegateBody,
  requestKinds,
  requestListSchema,
  requestStateSchema,
  type RequestPage,
  verdictSchema,
  withdrawBody,
} from './request.schema.js';
import { byCreation, heardOf, type Board } from './request-board.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import type { OpenNamespace } from '../namespaces.js';
import { askingOf, isAway } from '../served-namespace.js';
import { TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { matchesFilter } from '../../read-model/request-filter.js';
import type { IndexedRequest, IndexedRequestFilter } from '../../read-model/run-index.js';

const tags = ['requests'];
const mostListed = 500;

const list = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/requests',
  operationId: 'listRequests',
  summary: 'Open requests of all runs, the oldest first',
  tags,
  request: {
    params: namespaceParams,
    query: z.object({
      run: runId.optional(),
      procedure: plainWord(500).optional(),
      kind: z.enum(requestKinds).optional(),
      approver: plainWord(500)
        .optional()
        .openapi({ description: 'What this person may decide: by name, or where anybody may' }),
      asked_before: z.iso.datetime().optional(),
      q: z
        .string()
        .max(200)
        .optional()
        .openapi({ description: 'What the message says somewhere, in capitals or not' }),
      limit: count(1, mostListed)
        .optional()
        .openapi({ description: 'At most so many; 50 where it is left out' }),
      after: z.string().max(10_000).optional().openapi({ description: '`next` of the page before' }),
    }),
  },
  responses: { 200: json(requestListSchema, 'A page of requests'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: '/api/v1/namespaces/{namespace}/requests/{request}',
  operationId: 'readRequest',
  summary: 'One request as its run has it now, or what became of it',
  tags,
  request: { params: requestParams },
  responses: { 200: json(requestStateSchema, 'The request'), ...problems },
});

const verdict = (status: number) => json(verdictSchema, `The verdict: ${outcomesOf(status).join(', ')}`);
const verdictOrProblem = (status: number) => ({
  description: `The verdict: ${outcomesOf(status).join(', ')}${status === 409 ? '' : '; or a problem'}`,
  content: { 'application/json': { schema: verdictSchema }, ...problems.default.content },
});

function outcomesOf(status: number): string[] {
  return Object.entries(statusOfOutcome).flatMap(([outcome, each]) => (each === status ? [outcome] : []));
}

const body = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { 'application/json': { schema } },
});

const deciding = (verb: 'decide' | 'delegate' | 'withdraw', summary: string) =>
  ({
    method: 'post',
    path: `/api/v1/namespaces/{namespace}/requests/{request}/${verb}`,
    operationId: `${verb}Request`,
    summary,
    tags,
    responses: {
      200: verdict(200),
      202: verdict(202),
      403: verdictOrProblem(403),
      404: verdictOrProblem(404),
      409: verdictOrProblem(409),
      422: verdictOrProblem(422),
      ...problems,
    },
  }) as const;

const answer = createRoute({
  ...deciding('decide', 'Answer a request'),
  request: { params: requestParams, body: body(decideBody) },
});
const delegate = createRoute({
  ...deciding('delegate', 'Hand a request to somebody else'),
  request: { params: requestParams, body: body(delegateBody) },
});
const withdraw = createRoute({
  ...deciding(
    'withdraw',
    'Take a request back: for its requester, or, where it names none, for who may decide it; and for the role operate',
  ),
  request: { params: requestParams, body: body(withdrawBody) },
});

/** What people are asked, and what they say. */
export function requestRoutes(app: OpenAPIHono<ServerEnv>, { namespaces }: ServerDeps): void {
  app.openapi(list, async (c) => {
    const namespace = namespaces.open(c.req.valid('param').namespace, c.get('identity'), 'read');
    const { q: text, run, limit = 50, asked_before, ...filter } = c.req.valid('query');
    const askedBefore = asked_before === undefined ? undefined : new Date(asked_before).toISOString();
    return reply(
      c,
      200,
      await requestPage(namespace, {
        ...{ ...filter, askedBefore, text, limit },
        runIds: run === undefined ? undefined : [run],
      }),
    );
  });
  app.openapi(read, async (c) => {
    const { namespace, request } = c.req.valid('param');
    return reply(c, 200, await readRequest(namespaces.open(namespace, c.get('identity'), 'read'), request));
  });

  const settle = async (
    { namespace: name, request }: z.infer<typeof requestParams>,
    identity: ServerEnv['Variables']['identity'],
    sent: SentDecision,
  ) => {
    const isWithdrawn = sent.action === 'withdraw';
    const namespace = namespaces.open(name, identity, 'decide', ...(isWithdrawn ? ['operate' as const] : []));
    const verdict = await decide(namespace, identity, request, sent);
    if (verdict.outcome === 'accepted' || verdict.outcome === 'early')
      await namespace.uploads.use(sent.value);
    namespace.board.forget();
    return verdict;
  };
  app.openapi(answer, async (c) => {
    const verdict = await settle(c.req.valid('param'), c.get('identity'), defined(c.req.valid('json')));
    c.set('audit', { outcome: verdict.outcome });
    return reply(c, statusOfOutcome[verdict.outcome], verdict);
  });
  app.openapi(delegate, async (c) => {
    const sent: SentDecision = { ...defined(c.req.valid('json')), value: null, action: 'delegate' };
    const verdict = await settle(c.req.valid('param'), c.get('identity'), sent);
    c.set('audit', { outcome: verdict.outcome });
    return reply(c, statusOfOutcome[verdict.outcome], verdict);
  });
  app.openapi(withdraw, async (c) => {
    const sent: SentDecision = { ...defined(c.req.valid('json')), value: null, action: 'withdraw' };
    const verdict = await settle(c.req.valid('param'), c.get('identity'), sent);
    c.set('audit', { outcome: verdict.outcome });
    return reply(c, statusOfOutcome[verdict.outcome], verdict);
  });
}

/**
 * Open requests of all runs, the oldest first. What somebody decides on is never read from here, but from its run.
 * @throws TactusError usage where `after` is no `next`
 */
async function requestPage(namespace: OpenNamespace, filter: IndexedRequestFilter): Promise<RequestPage> {
  if (!namespace.isIndexed) return pageOf(await namespace.board.look(), filter);
  try {
    const { look } = askingOf(namespace);
    const { requests, next, missing } = await look(() => namespace.tactus.openRequests(filter));
    return { source: 'index', requests: heardOf(requests, missing), next, missing };
  } catch (error) {
    if (!isAway(namespace, error)) throw error;
    return pageOf(await namespace.board.look(), filter);
  }
}

function pageOf({ source, requests, missing }: Board, filter: IndexedRequestFilter): RequestPage {
  const after = filter.after === undefined ? null : readPlace(filter.after);
  const later = requests.filter(
    (request) => matchesFilter(request, filter) && (after === null || byCreation(request, after) > 0),
  );
  const page = later.slice(0, filter.limit);
  const last = page.at(-1);
  const next = later.length > page.length && last !== undefined ? placeOf(last) : null;
  return { source, requests: page, next, missing };
}

function placeOf({ created_at, run_id, position }: IndexedRequest): string {
  return Buffer.from(JSON.stringify([created_at, run_id, position])).toString('base64url');
}

/** The request at which a page ended, as far as its place tells of it. */
function readPlace(token: string): IndexedRequest {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(place) && place.length === 3 && place.every((each) => typeof each === 'string')) {
      const [created_at, run_id, position] = place as [string, string, string];
      return { created_at, run_id, position } as IndexedRequest;
    }
  } catch {
    // Said below.
  }
  throw new TactusError('usage', 'after is not a page token: pass the `next` of the page before');
}
