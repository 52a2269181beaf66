import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Identity } from '../access/identity.js';
import { RequestProblem } from '../problem.js';
import type { ServerEnv } from '../server-env.js';

/** Wrong tokens from one address in a minute: nobody mistypes more often. */
const wrongTokens = 30;

/** How much one may ask: by name, and where nobody has said one by address. */
export class RateLimits {
  private readonly requests: RateLimiterMemory;
  private readonly failures = new RateLimiterMemory({ points: wrongTokens, duration: 60 });

  /** @param perMinute requests of one identity */
  constructor(perMinute: number) {
    this.requests = new RateLimiterMemory({ points: perMinute, duration: 60 });
  }

  /** @throws RequestProblem rate_limited */
  async count(c: Context<ServerEnv>, { name }: Identity): Promise<void> {
    await this.take(this.requests, name === null ? addressOf(c) : `name ${name}`);
  }

  /** A sender of events has shown that it is one. @throws RequestProblem rate_limited */
  async countSender(hook: string): Promise<void> {
    await this.take(this.requests, `hook ${hook}`);
  }

  /** Before a token is looked at. @throws RequestProblem rate_limited */
  async assertFew(c: Context<ServerEnv>): Promise<void> {
    const known = await this.failures.get(addressOf(c));
    if (known !== null && known.remainingPoints <= 0) throw tooMuch(known);
  }

  /** A token was wrong. */
  async countFailure(c: Context<ServerEnv>): Promise<void> {
    await this.take(this.failures, addressOf(c)).catch(() => undefined);
  }

  private async take(limiter: RateLimiterMemory, key: string): Promise<void> {
    try {
      await limiter.consume(key);
    } catch (refused) {
      throw refused instanceof RateLimiterRes ? tooMuch(refused) : refused;
    }
  }
}

function tooMuch({ msBeforeNext }: RateLimiterRes): RequestProblem {
  const seconds = String(Math.max(1, Math.ceil(msBeforeNext / 1_000)));
  return new RequestProblem(429, 'rate_limited', `Too many requests: again in ${seconds} s`, undefined, {
    'retry-after': seconds,
  });
}

function addressOf(c: Context<ServerEnv>): string {
  return `address ${getConnInfo(c).remote.address ?? ''}`;
}
