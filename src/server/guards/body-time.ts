import type { MiddlewareHandler } from 'hono';
import { RequestProblem } from '../http/problem.js';
import type { ServerEnv } from '../server-env.js';

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
