import type { Wait } from '../../contract/runs/status.js';
import type { Screen } from '../terminal/screen.js';

/** Who waits for a call is told so after these times, in seconds; after that each quarter of an hour. */
const tellAfter = [15, 60, 300];
const tellEvery = 900;

/** Tells, while a run is followed, that it waits for an answer of something outside which doesn't come. */
export class WaitWatch {
  /** When it is told next, in seconds of waiting, by position and beginning. */
  private readonly next = new Map<string, number>();

  constructor(private readonly screen: Screen) {}

  look(waits: readonly Wait[], now = Date.now()): void {
    for (const { kind, name, position, since } of waits) {
      if (kind !== 'activity') continue;
      const key = `${position} ${since}`;
      const seconds = Math.floor((now - Date.parse(since)) / 1_000);
      if (seconds < (this.next.get(key) ?? tellAfter[0] ?? 0)) continue;
      this.next.set(key, tellAfter.find((each) => each > seconds) ?? seconds + tellEvery);
      this.screen.note(this.screen.paint.dim(`Still waiting for ${name}, for ${seconds} s now`));
    }
  }
}
