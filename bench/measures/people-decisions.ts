import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openRunIndex, TactusClient, type TactusRun } from '../../dist/index.js';
import { createTactusWorker } from '../../dist/worker.js';
import type { Stage } from '../stage.ts';

/** Where the requests are that are open at once. */
export type Where = 'one run' | 'as many runs';

export interface DecisionTimes {
  /** From the sending of each decision to its verdict, in ms. */
  verdict: number[];
  /** From the sending to the call that the next line makes, in ms. */
  nextLine: number[];
}

const decisions = 200;

/** Each branch asks, acts on the answer, and asks anew: as many requests are open all the while. */
const source = {
  entry: 'ask.tac',
  files: {
    'ask.tac': `Procedure {
  input = { endpoint = field.string{required = true}, branches = field.integer{required = true} },
  function(input)
    local act = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local branches = {}
    for b = 1, input.branches do
      branches[b] = function()
        while true do
          Human.approve{ message = "May order " .. b .. " be paid?", context = { order = b } }
          act({ branch = b })
        end
      end
    end
    Parallel(branches)
  end
}`,
  },
};

/** Times of 200 decisions, one by one, while `count` requests are open. */
export async function measureDecisions(stage: Stage, count: number, where: Where): Promise<DecisionTimes> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-decisions-'));
  const index = await openRunIndex(join(folder, 'index.sqlite'));
  const effects = await openEffects();
  const taskQueue = `bench-decisions-${randomUUID()}`;
  const worker = await createTactusWorker({
    ...{ connection: stage.env.nativeConnection, taskQueue, index },
    activities: { env: {}, filesRoot: folder, procedureFolders: [] },
    worker: { maxCachedWorkflows: 2_000 },
  });
  try {
    return await worker.runUntil(async () => {
      const tactus = new TactusClient(stage.env.client, { taskQueue });
      const [runs, branches] = where === 'one run' ? [1, count] : [count, 1];
      const started = await startMany(tactus, runs, { endpoint: effects.url, branches });
      while ((await index.counts()).requests < count) await pause(100);
      const times: DecisionTimes = { verdict: [], nextLine: [] };
      for (let i = 0; i < decisions; i++) {
        const run = started[(i * 7) % runs] as TactusRun;
        const [first] = await oneOpen(run, (i * 7) % branches);
        const acted = effects.next();
        const sentAt = performance.now();
        await run.decide({ request: first ?? '', value: true });
        times.verdict.push(performance.now() - sentAt);
        times.nextLine.push((await acted) - sentAt);
        // What comes after it belongs to no decision: the index is fed, the branch asks anew.
        await pause(50);
      }
      await Promise.all(started.map((run) => run.terminate()));
      return times;
    });
  } finally {
    await index.close();
    effects.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startMany(
  tactus: TactusClient,
  runs: number,
  input: { endpoint: string; branches: number },
): Promise<TactusRun[]> {
  const started: TactusRun[] = [];
  while (started.length < runs)
    started.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(20, runs - started.length) }, () => tactus.start(source, input)),
      )),
    );
  return started;
}

/** The id of the n-th request that a run has open. */
async function oneOpen(run: TactusRun, n: number): Promise<string[]> {
  for (;;) {
    const pending = await run.pending();
    const found = pending[n % Math.max(1, pending.length)];
    if (found !== undefined) return [found.id];
    await pause(10);
  }
}

/** Answers calls of models, and tells when each came. */
async function openEffects(): Promise<{ url: string; next: () => Promise<number>; close: () => void }> {
  let told: ((at: number) => void) | null = null;
  const server = createServer((request, response) => {
    told?.(performance.now());
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end('{"done": true}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => new Promise((resolve) => (told = resolve)),
    close: () => server.close(),
  };
}
