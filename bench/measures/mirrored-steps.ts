import { randomUUID } from 'node:crypto';
import { MemoryStorage } from '../../dist/client/storage/memory-storage.js';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { createTactusWorker } from '../../dist/worker/create-tactus-worker.js';
import type { Stage } from '../stage.ts';
import { inTurns, timed, type Comparison } from './compare.ts';

const steps = 200;

/** So many steps with a state of some 200 KB. */
const source: ProcedureSource = {
  entry: 'stateful.tac',
  files: {
    'stateful.tac': `m = Model { type = "mock", value = 1 }
Procedure { function()
  local rows = {}
  for i = 1, 2000 do rows[i] = { id = i, text = ("row " .. i .. " "):rep(8) } end
  state.rows = rows
  for i = 1, ${steps} do m({ i = i }) end
  return 1
end }`,
  },
};

/** A step in a worker that mirrors, and in one that doesn't. */
export async function measureMirroredSteps({ env }: Stage): Promise<Comparison[]> {
  const open = (taskQueue: string, storage?: MemoryStorage) =>
    createTactusWorker({
      connection: env.nativeConnection,
      taskQueue,
      ...(storage === undefined ? {} : { storage }),
      activities: { env: {}, filesRoot: '.', procedureFolders: [] },
    });
  const workers = [await open('bench-mirrored', new MemoryStorage()), await open('bench-plain')];
  const running = workers.map((worker) => worker.run());
  const run = async (taskQueue: string): Promise<void> => {
    const args = [{ source, input: {}, limits: { historyEvents: 40_000 } }];
    const handle = await env.client.workflow.start('tactus', { taskQueue, workflowId: randomUUID(), args });
    await handle.result();
  };
  const { ours, native } = await inTurns(
    5,
    () => timed(() => run('bench-mirrored')),
    () => timed(() => run('bench-plain')),
  );
  for (const worker of workers) worker.shutdown();
  await Promise.all(running);
  return [
    {
      what: 'a step with a state of 200 KB',
      unit: 'ms',
      ours: ours / steps,
      native: native / steps,
    },
  ];
}
