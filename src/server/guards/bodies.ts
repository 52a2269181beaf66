import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { TactusError } from '../../contract/errors.js';
import { RequestProblem } from '../problem.js';

/** The largest value that a run takes, and what stands round it. */
export const mostJsonBytes = 2_000_000;

/** Bodies of JSON, and no larger than so many bytes. A type that forms can't send keeps pages elsewhere from sending any. */
export function jsonBodies(mostBytes = mostJsonBytes): MiddlewareHandler[] {
  return [
    async (c, next) => {
      const type = c.req.header('content-type');
      const hasBody =
        c.req.header('transfer-encoding') !== undefined || (c.req.header('content-length') ?? '0') !== '0';
      if (hasBody && !/^application\/json\s*(;|$)/i.test(type ?? ''))
        throw new RequestProblem(415, 'usage', 'The body must be JSON: Content-Type: application/json');
      return next();
    },
    sizedBodies(mostBytes),
  ];
}

/** So much of a body that is too large is read and dropped, so that its sender is told and not just cut off. */
const drainedBytes = 16_000_000;

export function sizedBodies(mostBytes: number): MiddlewareHandler {
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
