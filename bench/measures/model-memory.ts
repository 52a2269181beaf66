import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createModelHost } from '../../dist/activities/index.js';

/** Resident memory of a process after each question to it, in MB. */
export interface TurnsInMemory {
  /** Once it has the first model. */
  first: number;
  /** Of the first time around, and of the last. */
  firstRound: number;
  lastRound: number;
}

/** Models that are asked in turn, where there is room for a few at once. */
export async function measureMemoryInTurn(
  folder: string,
  paths: readonly string[],
  rounds: number,
): Promise<TurnsInMemory> {
  const host = createModelHost();
  const memoryBytes = 3.5 * statSync(join(folder, paths[0] ?? '')).size;
  const seen: number[] = [];
  try {
    for (let round = 0; round < rounds; round++)
      for (const path of paths) {
        const inputs = [Array.from({ length: 64 }, (_, i) => i / 64)];
        const answer = await host.ask(
          { type: 'onnx', path, place: join(folder, path), root: folder, settings: {}, inputs, memoryBytes },
          AbortSignal.timeout(60_000),
        );
        if (!answer.ok) throw new Error(answer.message);
        seen.push(residentOf(childOf('host/main.js')));
      }
  } finally {
    host.close();
  }
  const most = (round: number): number =>
    Math.max(...seen.slice(round * paths.length, (round + 1) * paths.length));
  return { first: seen[0] ?? NaN, firstRound: most(0), lastRound: most(rounds - 1) };
}

function childOf(main: string): number {
  const threads = readdirSync('/proc/self/task');
  const pids = threads.flatMap((id) => readFileSync(`/proc/self/task/${id}/children`, 'utf8').split(' '));
  const found = pids.find((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(main));
  return Number(found);
}

function residentOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
