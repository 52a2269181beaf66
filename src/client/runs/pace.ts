import { setTimeout as wait } from 'node:timers/promises';

const shortestMs = 100;
const longestMs = 1_000;

/** How often a run is looked at: often while it does something, seldom while it waits, at once when it has ended. */
export class Pace {
  private ms = shortestMs;
  private readonly ended: Promise<void>;
  private hasEnded = false;

  constructor(
    result: Promise<unknown>,
    private readonly signal: AbortSignal,
  ) {
    const end = (): void => {
      this.hasEnded = true;
    };
    this.ended = result.then(end, end);
  }

  async next(isBusy: boolean): Promise<void> {
    this.ms = isBusy ? shortestMs : Math.min(longestMs, this.ms * 1.5);
    // Its end is news once; what is left to be seen of it takes a moment.
    const isKnown = this.hasEnded;
    const timer = wait(isKnown ? shortestMs : this.ms, null, { signal: this.signal }).catch(() => null);
    await (isKnown ? timer : Promise.race([timer, this.ended]));
  }
}
