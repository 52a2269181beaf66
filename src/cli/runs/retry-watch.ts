import type { EndedCall } from '../../client/health/how-call-ended.js';
import type { Retrying } from '../../client/health/retrying.js';
import { attemptText } from '../../contract/retries/attempt-text.js';
import type { Screen } from '../terminal/screen.js';

/**
 * Tells, while a run is followed, that a call of it or of one below it has failed and is tried again, each attempt once; and
 * how that ended.
 */
export class RetryWatch {
  private readonly told = new Set<string>();
  private open = new Map<string, Retrying>();

  /** @param endOf how a call ended, by the id of its run and its own; null where that isn't known */
  constructor(
    private readonly screen: Screen,
    private readonly endOf: (runId: string, callId: string) => Promise<EndedCall | null>,
  ) {}

  /** `calls`: what is being tried again now; none where the run has ended. */
  async look(calls: readonly Retrying[], now = Date.now()): Promise<void> {
    const ids = new Set(calls.map(({ id }) => id));
    for (const [id, call] of this.open) if (!ids.has(id)) await this.tellEnd(call);
    for (const call of calls) {
      const key = `${call.id}\n${call.attempt}\n${call.message}`;
      if (!this.told.has(key)) this.screen.note(this.screen.paint.yellow(retryText(call, now)));
      this.told.add(key);
    }
    this.open = new Map(calls.map((call) => [call.id, call]));
  }

  private async tellEnd(call: Retrying): Promise<void> {
    const at = call.id.lastIndexOf(' ');
    const ended = await this.endOf(call.id.slice(0, at), call.id.slice(at + 1)).catch(() => null);
    this.screen.note(this.screen.paint.dim(endText(call, ended)));
  }
}

/** One line; `now`: in ms since 1970. */
export function retryText({ attempt, attempts, message, next_at }: Retrying, now: number): string {
  const waitMs = next_at === null ? 0 : Date.parse(next_at) - now;
  const when = waitMs > 0 ? ` in ${Math.ceil(waitMs / 1_000)} s` : '';
  return `Trying again${when} (${attemptText(attempt, attempts)}): ${message}`;
}

/** One line, which ends those. */
function endText({ attempts, message }: Retrying, ended: EndedCall | null): string {
  if (ended === null) return `No longer trying again: ${message}`;
  const attempt = attemptText(ended.attempt, attempts);
  if (ended.outcome === 'completed') return `Trying again has succeeded (${attempt}); before: ${message}`;
  if (ended.outcome === 'cancelled') return `No longer trying again, as the call was cancelled: ${message}`;
  return `Trying again has failed (${attempt}), and ends: ${message}`;
}
