import type { Context, MiddlewareHandler } from 'hono';
import { RequestProblem } from '../http/problem.js';
import type { ServerEnv } from '../server-env.js';

/** How many bytes of bodies may be in memory at once. */
export interface MostHeld {
  /** Of one sender. */
  each: number;
  inAll: number;
}

/** Counts the bodies that are being read or used, so that nobody fills the memory with bodies that never end. */
export class HeldBodies {
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
