import { setTimeout as delay } from 'node:timers/promises';

/** What `look` gives, as soon as that is neither null nor false. Errors of `look` count as not yet. */
export async function waitUntil<T>(look: () => Promise<T | null | false>, patienceMs = 60_000): Promise<T> {
  const end = Date.now() + patienceMs;
  for (let problem: unknown = 'never came'; ;) {
    try {
      const seen = await look();
      if (seen !== null && seen !== false) return seen;
    } catch (error) {
      problem = error;
    }
    if (Date.now() > end) throw new Error(`not within ${patienceMs} ms`, { cause: problem });
    await delay(50);
  }
}
