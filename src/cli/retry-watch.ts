import type { Retrying } from '../client/retrying.js';
import type { Screen } from './screen.js';

/** Tells, while a run is followed, that a call of it or of one below it has failed and is tried again: each attempt once. */
export class RetryWatch {
  private readonly told = new Set<string>();

  constructor(private readonly screen: Screen) {}

  look(calls: readonly Retrying[], now = Date.now()): void {
    for (const call of calls) {
      const key = `${call.id}\n${call.attempt}\n${call.message}`;
      if (!this.told.has(key)) this.screen.note(this.screen.paint.yellow(retryText(call, now)));
      this.told.add(key);
    }
  }
}

/** One line; `now`: in ms since 1970. */
export function retryText({ attempt, attempts, message, next_at }: Retrying, now: number): string {
  const waitMs = next_at === null ? 0 : Date.parse(next_at) - now;
  const when = waitMs > 0 ? ` in ${Math.ceil(waitMs / 1_000)} s` : '';
  const of = attempts === null || attempt > attempts ? '' : ` of ${attempts}`;
  return `Trying again${when} (attempt ${attempt}${of}): ${message}`;
}
