/**
 * `npm run bench -- backtest [runs]`: a new source on the logs of 1,000 runs of 20 effects, beside replaying the same histories by the
 * SDK. Once with the logs read from the server through a worker, once with logs that are at hand, as in files that `export` wrote.
 */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { backtest } from '../dist/client/changes/backtest.js';
import { pastRun, type PastRun, type PastRunPlace } from '../dist/client/changes/past-runs.js';
import { TactusClient } from '../dist/client/tactus-client.js';
import { eachLimit } from '../dist/client/concurrency.js';
import { timed } from './measures/compare.ts';
import { openStage, openWorker, plugin } from './stage.ts';

const runs = Number(process.argv[2] ?? 1_000);
const effects = 20;
const taskQueue = 'bench-backtest';

const source = (sum: string) => ({
  entry: 'past.tac',
  files: {
    'past.tac': `m = Model { type = "mock", value = {score = 0.5} }
Procedure {
  input = { n = field.integer{required = true} },
  function(input)
    local sum = 0
    for i = 1, input.n do sum = sum + m({ i = i }).output.score end
    state.sum = sum
    return ${sum}
  end
}`,
  },
});

const stage = await openStage();
const worker = await openWorker(stage, taskQueue);
await worker.runUntil(async () => {
  const { client } = stage.env;
  const tactus = new TactusClient(client, { taskQueue });
  const ids = Array.from({ length: runs }, (_, index) => `past-${index}`);
  await eachLimit(ids, 5, async (runId) => {
    await (await tactus.start(source('sum'), { n: effects }, { runId })).result();
  });
  while ((await client.workflow.count("ExecutionStatus = 'Completed'")).count < runs)
    await new Promise((done) => setTimeout(done, 100));
  const histories: { workflowId: string; history: History }[] = [];
  for (const workflowId of ids)
    histories.push({ workflowId, history: await client.workflow.getHandle(workflowId).fetchHistory() });

  const places: PastRunPlace[] = [];
  for (const runId of ids) places.push(await pastRun(tactus.attach(runId)));
  const after = source('sum + 1');
  const told = (from: readonly PastRunPlace[]): Promise<number> =>
    timed(async () => {
      const { differs } = await backtest(after, from);
      if (differs !== runs) throw new Error(`${differs} of ${runs} differ`);
    });
  const fromServer = await told(places);
  const read: PastRun[] = [];
  await eachLimit(places, 8, async (place) => void read.push(await place.read()));
  const atHand = await told(
    read.map((past) => ({ runId: past.runId, version: null, read: () => Promise.resolve(past) })),
  );
  const replayed = await timed(async () => {
    const options = { workflowBundle: stage.bundle, plugins: [plugin] };
    for await (const { error } of Worker.runReplayHistories(options, histories))
      if (error !== undefined) throw error;
  });
  const row = (what: string, ms: number): string =>
    `| ${what} | ${(ms / 1_000).toFixed(1)} s | ${((runs / ms) * 1_000).toFixed(0)} | ${(ms / replayed).toFixed(2)} |`;
  console.log(`| ${runs} runs of ${effects} effects | time | runs/s | ratio |\n| --- | --- | --- | --- |`);
  console.log(row('backtest, logs read from the server', fromServer));
  console.log(row('backtest, logs at hand', atHand));
  console.log(row('replay of the histories by the SDK', replayed));
});
await stage.close();
process.exit(0);
