import type { TactusRun } from '../../src/client/tactus-run.js';
import type { HumanRequest } from '../../src/contract/people/human-request.js';
import { waitUntil } from './wait-until.js';

/** The open requests of a run, as soon as it has so many. */
export function pendingOf(run: TactusRun, count = 1, patienceMs?: number): Promise<HumanRequest[]> {
  return waitUntil(async () => {
    const { pending } = await run.status();
    return pending.length >= count && pending;
  }, patienceMs);
}
