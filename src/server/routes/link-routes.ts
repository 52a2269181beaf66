import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { randomUUID } from 'node:crypto';
import type { LinkClaims } from '../../authority/link-token.js';
import { TaskQueues } from '../../client/storage/task-queues.js';
import { TactusError } from '../../contract/errors.js';
import { statusOfOutcome } from '../decide.js';
import { answerByLink } from '../links/answer-by-link.js';
import { linkOf, type LinkKeys } from '../links/link-of.js';
import { linkedRequest } from '../links/linked-request.js';
import type { OpenNamespace } from '../namespaces.js';
import { reply } from '../reply.js';
import { json, problems } from '../schemas/problem.schema.js';
import { linkedBody, linkedStateSchema } from '../schemas/link.schema.js';
import { verdictSchema } from '../schemas/request.schema.js';
import { uploadQuery, uploadSchema } from '../schemas/upload.schema.js';
import { keepSentFile } from '../sent-file.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';

const tags = ['links'];
const security = [{ link: [] }];

/** An upload is asked for by itself, or among other questions. */
const takesFiles = ['upload', 'multiple'];

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

const decide = createRoute({
  method: 'post',
  path: linkPaths.decide,
  operationId: 'decideByLink',
  summary: 'Answer the request that a link leads to, once',
  ...{ tags, security },
  request: { body: { required: true, content: { 'application/json': { schema: linkedBody } } } },
  responses: {
    ...Object.fromEntries(
      [...new Set(Object.values(statusOfOutcome))].map((status) => [
        status,
        json(verdictSchema, 'The verdict, as of any decision'),
      ]),
    ),
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

interface OpenLink {
  claims: LinkClaims;
  namespace: OpenNamespace;
  keys: LinkKeys;
}

/**
 * Links that answer one request in the name of one person. GET and HEAD show, however often: who scans mails for what is bad
 * opens each link in them. POST decides.
 */
export function linkRoutes(app: OpenAPIHono<ServerEnv>, deps: ServerDeps): void {
  const { namespaces, links, rateLimits, publicUrl } = deps;
  // Who comes second sees what the first has done.
  const answering = new TaskQueues();
  const open = async (c: Context<ServerEnv>): Promise<OpenLink> => {
    try {
      if (links === null)
        throw new TactusError('unauthenticated', 'This server takes no links: it has no authority.links');
      const claims = linkOf(c.req.header('authorization'), links);
      const namespace = namespaces.get(claims.namespace);
      if (namespace === undefined)
        throw new TactusError('unauthenticated', "The link doesn't hold: it leads to another server's runs");
      await rateLimits.countLink(nameOf(claims));
      return { claims, namespace, keys: links };
    } catch (error) {
      if (error instanceof TactusError) await rateLimits.countFailure(c);
      throw error;
    }
  };
  app.openapi(read, async (c) => {
    const { claims, namespace } = await open(c);
    const standing = await linkedRequest(namespace, claims);
    const { approver, expiresAt } = claims;
    return reply(c, 200, { ...standing, approver, expires_at: new Date(expiresAt).toISOString() });
  });
  app.openapi(decide, async (c) => {
    const { claims, namespace, keys } = await open(c);
    const { value, comment, id = randomUUID() } = c.req.valid('json');
    const answer = { value, id, ...(comment === undefined ? {} : { comment }) };
    const verdict = await answering.run(nameOf(claims), () => answerByLink(namespace, claims, keys, answer));
    namespace.board.forget();
    return reply(c, statusOfOutcome[verdict.outcome], verdict);
  });
  app.openapi(keep, async (c) => {
    const { claims, namespace } = await open(c);
    const standing = await linkedRequest(namespace, claims);
    if (standing.state !== 'open' || !takesFiles.includes(standing.request.kind))
      throw new TactusError('forbidden', 'The link leads to no request that takes a file now');
    return reply(c, 201, await keepSentFile(c, namespace, c.req.valid('query').name, publicUrl()));
  });
}

/** All links of one person to one request are one: a reminder has a link of its own. */
function nameOf({ namespace, request, approver }: LinkClaims): string {
  return JSON.stringify([namespace, request, approver]);
}
