import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { addressOf } from './rate-limits.js';
import { linkTakesFiles, nameOfLink, openLink } from '../people/open-link.js';
import { filesPath } from '../files/file-routes.js';
import { linkPaths } from '../people/link-routes.js';
import { sessionPath } from '../access/session-routes.js';
import type { Role } from '../access/identity.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import type { Namespaces } from '../namespaces.js';
import { TactusError } from '../../contract/errors.js';
import { exactText } from '../../contract/json/json.js';
import { RequestProblem } from '../http/problem.js';

/** How many bytes of bodies may be in memory at once. */
interface MostHeld {
  /** Of one sender. */
  each: number;
  inAll: number;
}

/** Counts the bodies that are being read or used, so that nobody fills the memory with bodies that never end. */
class HeldBodies {
  private readonly bySender = new Map<string, number>();
  private inAll = 0;

  constructor(private readonly most: MostHeld) {}

  /**
   * Refuses a body that there is no room for now. A body that doesn't tell its length counts as the largest that is taken.
   * @throws RequestProblem rate_limited
   */
  guard(mostBytes: number, senderOf: (c: Context<ServerEnv>) => string): MiddlewareHandler<ServerEnv> {
    return async (c, next) => {
      const bytes = Math.min(mostBytes, lengthOf(c));
      if (bytes === 0) return next();
      const sender = senderOf(c);
      const held = this.bySender.get(sender) ?? 0;
      if (held + bytes > this.most.each || this.inAll + bytes > this.most.inAll)
        throw new RequestProblem(429, 'rate_limited', 'Too many bodies are under way', undefined, {
          'retry-after': '1',
        });
      this.count(sender, bytes);
      try {
        await next();
      } finally {
        this.count(sender, -bytes);
      }
    };
  }

  private count(sender: string, bytes: number): void {
    this.inAll += bytes;
    const held = (this.bySender.get(sender) ?? 0) + bytes;
    if (held === 0) this.bySender.delete(sender);
    else this.bySender.set(sender, held);
  }
}

/** As the request says; Infinity where it doesn't. */
function lengthOf(c: Context<ServerEnv>): number {
  if (c.req.header('transfer-encoding') !== undefined) return Infinity;
  return Number(c.req.header('content-length') ?? '0');
}

/** The largest value that a run takes, and what stands round it. */
const mostJsonBytes = 2_000_000;
/** So much of a body that is too large is read and dropped, so that its sender is told and not just cut off. */
const drainedBytes = 16_000_000;

/** Bodies are JSON: a type that forms can't send, so that pages elsewhere can't send any without being asked first. */
function jsonBodies(mostBytes: number): MiddlewareHandler<ServerEnv> {
  const sized = sizedBodies(mostBytes);
  return async (c, next) => {
    const hasBody =
      c.req.header('transfer-encoding') !== undefined || (c.req.header('content-length') ?? '0') !== '0';
    if (hasBody && !/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new RequestProblem(415, 'usage', 'The body must be JSON: Content-Type: application/json');
    return sized(c, async () => {
      if (hasBody) await keepIntegers(c);
      await next();
    });
  };
}

/** Whatever reads the body from here on gets integers that JavaScript would round as texts. */
async function keepIntegers({ req }: Context): Promise<void> {
  const text = await req.text();
  try {
    const exact = Promise.resolve(exactText(text));
    // Its type says text, and it is awaited.
    Object.assign(req.bodyCache, { text: exact });
  } catch (error) {
    if (error instanceof RangeError)
      throw new TactusError('usage', `The body can't be read: ${error.message}`);
    // It is no JSON, which is said where it is read.
  }
}

/** Bodies of so many bytes and no more. */
function sizedBodies(mostBytes: number): MiddlewareHandler<ServerEnv> {
  return bodyLimit({
    maxSize: mostBytes,
    onError: async ({ req }) => {
      await drain(req.raw);
      throw new TactusError('payload_too_large', `The body is larger than ${mostBytes} bytes`);
    },
  });
}

async function drain({ body }: Request): Promise<void> {
  // One that tells no length is being read already.
  if (body === null || body.locked) return;
  let bytes = 0;
  for await (const part of body as AsyncIterable<Uint8Array>)
    if ((bytes += part.length) > drainedBytes) return;
}

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

/**
 * Gives up a body that takes longer. For senders that have proved nothing yet: Node.js waits five minutes for a request.
 * @throws RequestProblem usage
 */
export function bodyTime(mostMs: number): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { incoming } = c.env;
    let giveUp: () => void = () => undefined;
    const late = new Promise<'late'>((resolve) => (giveUp = () => resolve('late')));
    const timer = setTimeout(giveUp, mostMs);
    incoming.once('end', () => clearTimeout(timer));
    const ended = await Promise.race([next(), late]);
    clearTimeout(timer);
    if (ended === 'late')
      throw new RequestProblem(408, 'usage', `The body did not come within ${mostMs / 1_000} s`, undefined, {
        connection: 'close',
      });
  };
}

const reading = ['GET', 'HEAD'];
const deciding = /^\/api\/v1\/namespaces\/[^/]+\/(?:(?:requests|files)(?:\/|$)|runs\/[^/]+\/scores$)/;
const withdrawing = /\/withdraw$/;
/** It changes nothing: the payloads to be read are too long for a path. */
const decoding = /^\/api\/v1\/namespaces\/[^/]+\/codec\/decode$/;

/**
 * Refuses whoever may not send something before its body is read. Bodies take memory, and only those who may use the
 * namespace get any.
 */
function mayUse(namespaces: Namespaces): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { method, path } = c.req;
    namespaces.open(c.req.param('namespace') ?? '', c.get('identity'), ...rolesFor(method, path));
    return next();
  };
}

/** The roles of which one is needed. The route looks again, at its own. */
function rolesFor(method: string, path: string): [Role, ...Role[]] {
  if (reading.includes(method) || decoding.test(path)) return ['read'];
  if (!deciding.test(path)) return ['operate'];
  return withdrawing.test(path) ? ['decide', 'operate'] : ['decide'];
}
