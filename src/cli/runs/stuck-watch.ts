import { stuckText } from '../../client/health/stuck-error.js';
import type { Stuck } from '../../client/health/stuck.js';
import type { Screen } from '../terminal/screen.js';

/** A worker that is just being replaced gets so long. */
const patienceMs = 60_000;

/** Tells, while a run is followed, that it or one below it is stuck: once for each failure. */
export class StuckWatch {
  private readonly told = new Set<string>();
  private firstSeen: number | null = null;

  constructor(private readonly screen: Screen) {}

  /** True where it has lasted for so long that only somebody who looks on would wait any longer. */
  look(stuck: ReadonlyMap<string, Stuck>): boolean {
    if (stuck.size === 0) {
      this.firstSeen = null;
      return false;
    }
    this.firstSeen ??= Date.now();
    for (const [runId, fault] of stuck) {
      const key = `${runId}\n${fault.since}\n${fault.message}`;
      if (!this.told.has(key)) this.screen.warn(`The run ${runId} is stuck ${stuckText(fault)}.`);
      this.told.add(key);
    }
    return !this.screen.isInteractive && Date.now() - this.firstSeen > patienceMs;
  }
}
