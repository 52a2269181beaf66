import { setTimeout as pause } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { TactusClient, type TactusRun } from '../../dist/index.js';
import { createTactusWorker } from '../../dist/worker.js';
import { startServer } from '../stage.ts';

/** How the server is set up, and whether runs say whose they are. */
export interface Fairness {
  /** Of the server's dynamic configuration. */
  settings: Readonly<Record<string, unknown>>;
  keys: boolean;
}

/** ms from the start to the result of each run of the neighbours. */
export interface Neighbours {
  alone: number[];
  beside: number[];
}

const taskQueue = 'bench-tenants';
/** Calls that the worker has under way at most: with 200 ms each, it does 25 a second. */
const slots = 5;
const neighbours = { names: ['tenant-a', 'tenant-b', 'tenant-c'], calls: 3, everyMs: 1_000 };
/** So many runs of it are open at each moment. */
const hostile = { name: 'hostile', runs: 300, calls: 20, settleMs: 15_000 };

const source: ProcedureSource = {
  entry: 'calls.tac',
  files: {
    'calls.tac': `Procedure {
      input = { calls = field.integer{required = true}, endpoint = field.string{required = true} },
      function(input)
        local model = Model { type = "http", endpoint = input.endpoint }
        for i = 1, input.calls do model({ i = i }) end
      end
    }`,
  },
};

/**
 * Three tenants start a run a second each, first alone, then beside one that keeps 300 runs open, on a server and a worker of their own.
 * @param endpoint of a prediction model, which answers after 200 ms
 * @param rounds so many runs of each neighbour are measured each time
 */
export async function measureNeighbours(
  { settings, keys }: Fairness,
  endpoint: string,
  rounds: number,
): Promise<Neighbours> {
  const env = await startServer(undefined, settings);
  const worker = await openWorker(env.nativeConnection);
  const running = worker.run();
  const tactus = new TactusClient(env.client, { taskQueue });
  const start = (fairnessKey: string, calls: number): Promise<TactusRun> =>
    tactus.start(source, { calls, endpoint }, keys ? { priority: { fairnessKey } } : {});
  const timed = async (name: string): Promise<number> => {
    const began = performance.now();
    await (await start(name, neighbours.calls)).result();
    return performance.now() - began;
  };
  const measured = async (): Promise<number[]> => {
    const took: Promise<number>[] = [];
    for (let i = 0; i < rounds * neighbours.names.length; i++) {
      took.push(timed(neighbours.names[i % neighbours.names.length] ?? ''));
      await pause(neighbours.everyMs / neighbours.names.length);
    }
    return Promise.all(took);
  };
  const open = new Set<TactusRun>();
  let isOver = false;
  /** One run of the hostile tenant after the other. */
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const run = await start(hostile.name, hostile.calls);
      open.add(run);
      await run.result();
      open.delete(run);
    }
  };
  const loops: Promise<void>[] = [];
  try {
    await timed('warm up');
    const alone = await measured();
    for (let i = 0; i < hostile.runs; i++) loops.push(loop());
    const failed = Promise.race(loops).then(() => []);
    await Promise.race([pause(hostile.settleMs), failed]);
    return { alone, beside: await Promise.race([measured(), failed]) };
  } finally {
    isOver = true;
    worker.shutdown();
    await running;
    await Promise.all([...open].map((run) => run.terminate()));
    await Promise.allSettled(loops);
    await env.teardown();
  }
}

function openWorker(connection: NativeConnection): ReturnType<typeof createTactusWorker> {
  return createTactusWorker({
    ...{ connection, taskQueue },
    activities: { env: {}, filesRoot: '.', procedureFolders: [] },
    worker: { maxConcurrentActivityTaskExecutions: slots, maxCachedWorkflows: 1_000 },
  });
}
