import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { mayUse } from '../access/may-use.js';
import { bodyTime } from './body-time.js';
import { jsonBodies, mostJsonBytes, sizedBodies } from './bodies.js';
import { HeldBodies } from './held-bodies.js';
import { addressOf } from './rate-limits.js';
import { linkTakesFiles, nameOfLink, openLink } from '../people/links/open-link.js';
import { filesPath } from '../files/file-routes.js';
import { linkPaths } from '../people/link-routes.js';
import { sessionPath } from '../access/session-routes.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';

/** The longest token, and what stands round it. */
const mostSessionBytes = 16_000;
/** The body of whoever has proved nothing yet comes within this time. */
const strangersMs = 15_000;
/** Uploads of one sender that may be under way at once, and senders that may have so many. */
const uploadsEach = 4;
const sendersAtOnce = 4;
/** Bodies of one sender who has proved nothing yet, and of all of them, in bytes. */
const mostOfStrangers = { each: 16_000_000, inAll: 64_000_000 };

/**
 * What a request passes before its body is read: who sends it may send it, the body has a bounded size, and there is room for
 * it. Of a webhook the body itself is signed: it is read if the headers could be those of its sender.
 */
export function guardBodies(app: OpenAPIHono<ServerEnv>, deps: ServerDeps, uploadBytes: number): void {
  const { namespaces, webhooks, rateLimits } = deps;
  const each = uploadsEach * Math.max(uploadBytes, mostJsonBytes);
  const known = new HeldBodies({ each, inAll: sendersAtOnce * each });
  // Whoever fills one with messages that nobody signed keeps nobody from signing in.
  const [signingIn, strangers] = [new HeldBodies(mostOfStrangers), new HeldBodies(mostOfStrangers)];

  const files = '/api/v1/namespaces/:namespace/files';
  const ofOne = '/api/v1/namespaces/:namespace/*';
  const nameOf = (c: Context<ServerEnv>): string => c.get('identity').name ?? addressOf(c);
  app.use(ofOne, mayUse(namespaces));
  app.use(files, known.guard(uploadBytes, nameOf), sizedBodies(uploadBytes));
  const isFile = (c: Context<ServerEnv>): boolean => filesPath.test(c.req.path);
  app.use(
    ofOne,
    except(isFile, known.guard(mostJsonBytes, nameOf)),
    except(isFile, jsonBodies(mostJsonBytes)),
  );

  app.use(
    sessionPath,
    signingIn.guard(mostSessionBytes, addressOf),
    bodyTime(strangersMs),
    jsonBodies(mostSessionBytes),
  );

  const linkName = (c: Context<ServerEnv>): string => nameOfLink(c.get('link').claims);
  app.use(linkPaths.read, openLink(deps));
  app.use(linkPaths.decide, openLink(deps), known.guard(mostJsonBytes, linkName), jsonBodies(mostJsonBytes));
  app.use(
    linkPaths.files,
    openLink(deps),
    linkTakesFiles(),
    known.guard(uploadBytes, linkName),
    sizedBodies(uploadBytes),
  );

  app.use(
    '/hooks/:hook',
    async (c, next) => {
      await rateLimits.countingFailures(c, () =>
        webhooks.expect(c.req.param('hook') ?? '', (name) => c.req.header(name)),
      );
      return next();
    },
    strangers.guard(mostJsonBytes, (c) => c.req.path),
    bodyTime(strangersMs),
    sizedBodies(mostJsonBytes),
  );
}

function except(
  isOther: (c: Context<ServerEnv>) => boolean,
  guard: MiddlewareHandler<ServerEnv>,
): MiddlewareHandler<ServerEnv> {
  return async (c, next) => (isOther(c) ? next() : guard(c, next));
}
