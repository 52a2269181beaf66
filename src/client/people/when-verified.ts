import { setTimeout as pause } from 'node:timers/promises';
import type { Verdict } from '../../contract/people/decision.js';

const firstPauseMs = 50;
const longestPauseMs = 1_000;
const patienceMs = 60_000;

/** Asks what has become of a signed decision until it is known; gives `verifying` where that takes too long. */
export async function whenVerified(verifying: Verdict, ask: () => Promise<Verdict | null>): Promise<Verdict> {
  const end = Date.now() + patienceMs;
  for (let pauseMs = firstPauseMs; Date.now() < end; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const verdict = await ask();
    if (verdict !== null) return verdict;
    await pause(pauseMs);
  }
  return verifying;
}
