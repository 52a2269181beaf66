import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { hasCode } from '../../contract/errors.js';
import type { Identity } from '../access/identity.js';
import { RequestProblem } from '../http/problem.js';
import type { ServerEnv } from '../server-env.js';

/** So many right requests for one with a wrong token: nobody mistypes more often, and tokens are too long to be guessed. */
const rightForWrong = 40;
/** So many requests of one identity for one by a link: it leads to one request alone. */
const callsForLink = 20;

/** How much one may ask: by name, and where nobody has said one by address. */
export class RateLimits {
  private readonly requests: RateLimiterMemory;
  private readonly links: RateLimiterMemory;
  private readonly failures: RateLimiterMemory;

  /** @param perMinute requests of one identity */
  constructor(perMinute: number) {
    this.requests = new RateLimiterMemory({ points: perMinute, duration: 60 });
    this.links = new RateLimiterMemory({
      points: Math.max(1, Math.ceil(perMinute / callsForLink)),
      duration: 60,
    });
    const wrong = Math.max(1, Math.ceil(perMinute / rightForWrong));
    this.failures = new RateLimiterMemory({ points: wrong, duration: 60 });
  }

  /** @throws RequestProblem rate_limited */
  async count(c: Context<ServerEnv>, { name }: Identity): Promise<void> {
    await this.take(this.requests, name === null ? addressOf(c) : `name ${name}`);
  }

  /** A sender of events has shown that it is one. @throws RequestProblem rate_limited */
  async countSender(hook: string): Promise<void> {
    await this.take(this.requests, `hook ${hook}`);
  }

  /** Links are opened by people, and by programs that look into their mails. @throws RequestProblem rate_limited */
  async countLink(link: string): Promise<void> {
    await this.take(this.links, `link ${link}`);
  }

  /**
   * A token, or a signature, was wrong. Who shows a right one is let in all the same: behind a proxy everybody has one
   * address, and nobody must lock out the others.
   * @throws RequestProblem rate_limited
   */
  async countFailure(c: Context<ServerEnv>): Promise<void> {
    await this.take(this.failures, addressOf(c));
  }

  /** Does what may find that a token, or a signature, is wrong. @throws RequestProblem rate_limited; what it throws */
  async countingFailures<T>(c: Context<ServerEnv>, prove: () => T | Promise<T>): Promise<T> {
    try {
      return await prove();
    } catch (error) {
      if (hasCode(error, 'unauthenticated')) await this.countFailure(c);
      throw error;
    }
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

/** Where a request comes from: behind a proxy, all have its address. */
export function addressOf(c: Context<ServerEnv>): string {
  return `address ${getConnInfo(c).remote.address ?? ''}`;
}
