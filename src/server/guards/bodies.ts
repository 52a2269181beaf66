import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { TactusError } from '../../contract/errors.js';
import { exactText } from '../../contract/json/read-json.js';
import { RequestProblem } from '../http/problem.js';
import type { ServerEnv } from '../server-env.js';

/** The largest value that a run takes, and what stands round it. */
export const mostJsonBytes = 2_000_000;
/** So much of a body that is too large is read and dropped, so that its sender is told and not just cut off. */
const drainedBytes = 16_000_000;

/** Bodies are JSON: a type that forms can't send, so that pages elsewhere can't send any without being asked first. */
export function jsonBodies(mostBytes: number): MiddlewareHandler<ServerEnv> {
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
export function sizedBodies(mostBytes: number): MiddlewareHandler<ServerEnv> {
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
