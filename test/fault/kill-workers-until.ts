import { setTimeout as delay } from 'node:timers/promises';
import type { ChildWorker } from '../support/child-worker.js';

export interface Killing {
  start: () => Promise<ChildWorker>;
  /** How long the next worker lives, after so many kills. In ms. */
  lifeMs: (kills: number) => number;
  /** After so many kills, one lives on. */
  mostKills: number;
  /** Whether the next worker is there before the one at work is killed; left out: never. */
  overlaps?: () => boolean;
}

/** Kills one worker after the other until all is over. Gives how many were killed before. */
export async function killWorkersUntil(
  ended: Promise<unknown>,
  { start, lifeMs, mostKills, overlaps = () => false }: Killing,
): Promise<number> {
  let isOver = false;
  const over = ended.then(() => void (isOver = true));
  let worker = await start();
  for (let kills = 0; ; kills++) {
    const life = lifeMs(kills);
    await (kills === mostKills ? over : Promise.race([over, delay(life)]));
    if (isOver) {
      await worker.kill();
      return kills;
    }
    const next = overlaps() ? await start() : null;
    await worker.kill();
    worker = next ?? (await start());
  }
}
