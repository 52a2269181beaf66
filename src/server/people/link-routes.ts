import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../../client/storage/index.js';
import { statusOfOutcome } from './decide.js';
import { linkedRequest, nameOfLink, type LinkStanding } from './open-link.js';
import type { LinkKeys } from './links.js';
import { reply } from '../http/reply.js';
import { json, problems } from '../http/common.schema.js';
import { linkedBody, linkedStateSchema } from './link.schema.js';
import { verdictSchema } from './request.schema.js';
import { uploadQuery, uploadSchema } from '../files/upload.schema.js';
import { keepSentFile } from '../files/sent-file.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';
import { signDecision } from '../../authority/signed-decisions.js';
import type { LinkClaims } from '../../authority/signed-links.js';
import type { Verdict } from '../../contract/people/decision.js';
import { defined, canonicalJson, type JsonValue } from '../../contract/json/json.js';

const tags = ['links'];
const security = [{ link: [] }];

/** Paths of links: they need nobody to be signed in. */
export const linkPaths = {
  read: '/api/v1/link',
  decide: '/api/v1/link/decide',
  files: '/api/v1/link/files',
} as const;

const read = createRoute({
  method: 'get',
  path: linkPaths.read,
  operationId: 'readLink',
  summary:
    'The request that a link leads to, as its run has it now, or why it can’t be answered; decides nothing',
  ...{ tags, security },
  responses: { 200: json(linkedStateSchema, 'How it stands'), ...problems },
});

const verdict = json(verdictSchema, 'The verdict, as of any decision');

const decide = createRoute({
  method: 'post',
  path: linkPaths.decide,
  operationId: 'decideByLink',
  summary: 'Answer the request that a link leads to, once',
  ...{ tags, security },
  request: { body: { required: true, content: { 'application/json': { schema: linkedBody } } } },
  responses: {
    200: verdict,
    202: verdict,
    403: verdict,
    404: verdict,
    409: verdict,
    422: verdict,
    ...problems,
  },
});

const keep = createRoute({
  method: 'post',
  path: linkPaths.files,
  operationId: 'keepFileByLink',
  summary: 'Hand in a file for an answer by a link, while the request is open',
  ...{ tags, security },
  request: {
    query: uploadQuery,
    body: { required: true, content: { 'application/octet-stream': { schema: z.any() } } },
  },
  responses: { 201: json(uploadSchema, 'The file'), ...problems },
});

/**
 * Links that answer one request in the name of one person. GET and HEAD show, however often: who scans mails for what is bad
 * opens each link in them. POST decides.
 */
export function linkRoutes(app: OpenAPIHono<ServerEnv>, { publicUrl }: ServerDeps): void {
  // Who comes second sees what the first has done.
  const answering = new KeyedQueue();
  app.openapi(read, async (c) => {
    const { claims, namespace } = c.get('link');
    const standing = await linkedRequest(namespace, claims);
    const { approver, expiresAt } = claims;
    return reply(c, 200, { ...standing, approver, expires_at: new Date(expiresAt).toISOString() });
  });
  app.openapi(decide, async (c) => {
    const { claims, namespace, keys } = c.get('link');
    const { value, comment, id = randomUUID() } = c.req.valid('json');
    const answer = { value, id, ...defined({ comment }) };
    const verdict = await answering.run(nameOfLink(claims), () =>
      answerByLink(namespace, claims, keys, answer),
    );
    c.set('audit', { outcome: verdict.outcome });
    if (verdict.outcome === 'accepted') await namespace.uploads.use(value);
    namespace.board.forget();
    return reply(c, statusOfOutcome[verdict.outcome], verdict);
  });
  app.openapi(keep, async (c) => {
    const { namespace, claims } = c.get('link');
    const { name } = c.req.valid('query');
    const sender = nameOfLink(claims);
    return reply(c, 201, await keepSentFile(c, namespace, { name, sender }, publicUrl()));
  });
}

/** What is sent by a link: an answer, and nothing else. */
interface LinkedAnswer {
  value: JsonValue;
  comment?: string;
  /** Names it: sent twice, it is one. */
  id: string;
}

/**
 * Answers a request by a link, once: signed, for the text that the link was made for, by the person whom it was made for. What
 * the run would refuse of anybody it refuses here.
 * @throws TactusError no_worker: whether it counts isn't known, and the same `id` may be sent again
 */
async function answerByLink(
  namespace: ServedNamespace,
  claims: LinkClaims,
  { key }: LinkKeys,
  { value, comment, id }: LinkedAnswer,
): Promise<Verdict> {
  const { request, digest, approver } = claims;
  const standing = await linkedRequest(namespace, claims);
  const refused = verdictOf(standing, claims, value);
  if (refused !== null) return refused;
  const decision = {
    request,
    digest,
    value,
    by: approver,
    id,
    ...defined({ comment }),
  };
  const signed = signDecision(decision, { namespace: namespace.name, key });
  return askingOf(namespace).ask(() => namespace.tactus.decide(signed), true);
}

/** What is known without asking the run again; null: the run says it, of a closed request too. */
function verdictOf(
  standing: LinkStanding,
  { request: id, approver }: LinkClaims,
  value: JsonValue,
): Verdict | null {
  switch (standing.state) {
    case 'open':
    case 'closed':
      return null;
    case 'voted':
      // A vote may be changed, but by no link: it answers once.
      return canonicalJson(standing.value) === canonicalJson(value)
        ? { id, outcome: 'duplicate', message: `${approver} has said so already, at ${standing.at}` }
        : {
            id,
            outcome: 'late',
            message: `${approver} has answered already, at ${standing.at}: a link answers once`,
          };
    case 'expired':
      return { id, outcome: 'late', message: `the link holds no longer, since ${standing.at}` };
    case 'changed':
      return { id, outcome: 'invalid', message: 'something else is asked now than the link was made for' };
    case 'gone':
      return { id, outcome: 'unknown', message: 'nothing is asked there any more' };
    case 'not_allowed':
      return { id, outcome: 'not_allowed', message: standing.reason };
  }
}
