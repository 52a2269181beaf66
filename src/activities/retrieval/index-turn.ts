import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../retries/failures.js';
import type { IndexFile } from './index-file.js';

/** A worker that was killed while it wrote keeps the others waiting so long. In ms. */
const turnMs = 5_000;
const renewMs = 1_000;
const lookMs = 100;

/**
 * Does something to an index while no other worker does: what makes vectors is slow, and once is enough. Whoever waits looks at
 * what is left to be done when it has its turn.
 * @throws Fault, retryable, where another worker has had its turn meanwhile; Node's errors of SQLite; the signal's reason
 */
export async function inTurn<T>(
  index: IndexFile,
  signal: AbortSignal,
  work: (stillMine: () => void) => Promise<T>,
): Promise<T> {
  const owner = randomUUID();
  while (!take(index, owner)) await wait(lookMs, undefined, { signal });
  let problem: Error | null = null;
  const renewal = setInterval(() => {
    // Thrown from here it would end the whole worker.
    try {
      if (!take(index, owner))
        problem = new Fault('another worker has gone on with the index', { retryable: true });
    } catch (error) {
      problem = error as Error;
    }
  }, renewMs);
  try {
    return await work(() => {
      if (problem !== null) throw problem;
    });
  } finally {
    clearInterval(renewal);
    index.all('DELETE FROM turn WHERE owner = ?', owner);
  }
}

function take(index: IndexFile, owner: string): boolean {
  const now = Date.now();
  const taken = index.all(
    `INSERT INTO turn (id, owner, until) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, until = excluded.until
     WHERE owner = excluded.owner OR until < ? RETURNING owner`,
    ...[owner, BigInt(now + turnMs), BigInt(now)],
  );
  return taken.length > 0;
}
