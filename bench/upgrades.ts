/**
 * `npm run bench -- upgrades [runs]`: so many runs (1,000) that wait for a person are moved to another source, while half of their
 * decisions arrive, and a worker is killed on the way. Prints how long it took, and what was lost or asked twice: nothing may be.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import { TactusClient, upgradeRuns } from '../dist/index.js';
import { each } from './measures/each.ts';
import { bundleBench, createBenchWorker, openStage, quiet } from './stage.ts';

const [first = '1000', address = ''] = process.argv.slice(2);
const taskQueue = 'bench-upgrades';

if (first === 'worker') {
  quiet();
  const connection = await NativeConnection.connect({ address });
  await (await createBenchWorker(connection, await bundleBench(), taskQueue)).run();
}

const count = Number(first);
const source = (by: string) => ({
  entry: 'upgrades.tac',
  files: {
    'upgrades.tac': `Procedure { function(input)
      for i = 1, 10 do checkpoint(function() return i end) end
      local ok = Human.approve("Go?")
      return { ok = ok, by = "${by}" }
    end }`,
  },
});

const stage = await openStage();
const { env } = stage;
const client = new TactusClient(env.client, { taskQueue });
const begin = (): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(import.meta.url), 'worker', env.address], { stdio: 'inherit' });
let worker = begin();

const ids = Array.from({ length: count }, (_, i) => `upgraded-${i}`);
await each(ids, async (runId) => void (await client.start(source('old'), {}, { runId })));
await each(ids, async (runId) => {
  while ((await client.attach(runId).status()).pending.length === 0) await pause(50);
});

const decide = async (runId: string): Promise<void> => {
  const { outcome } = await client.decide({
    request: `${runId}/10`,
    value: true,
    id: `decision of ${runId}`,
  });
  if (outcome !== 'accepted' && outcome !== 'duplicate') throw new Error(`${runId}: ${outcome}`);
};
const started = Date.now();
let looked = 0;
const upgrading = upgradeRuns(client, ids, source('new'), { onUpgraded: () => void looked++ });
const deciding = each(
  ids.filter((_, i) => i % 2 === 0),
  decide,
  4,
);
const killing = (async () => {
  while (looked < count / 3) await pause(50);
  worker.kill('SIGKILL');
  worker = begin();
})();
const upgraded = await upgrading;
const seconds = (Date.now() - started) / 1_000;
await Promise.all([deciding, killing]);
await each(
  ids.filter((_, i) => i % 2 === 1),
  decide,
);

const counts = { new: 0, old: 0, wrong: 0, askedTwice: 0 };
const moved = new Set(upgraded.filter((run) => run.moved).map(({ run_id: id }) => id));
await each(ids, async (runId) => {
  const run = client.attach(runId);
  const result = (await run.result()) as { ok: boolean; by: 'new' | 'old' };
  const { execution_log: entries } = await run.log();
  const asked = entries.filter(({ type }) => type === 'hitl_approval').length;
  if (result.ok !== true || (result.by === 'new') !== moved.has(runId)) counts.wrong++;
  if (asked !== 1) counts.askedTwice++;
  counts[result.by]++;
});
const verdicts = Object.entries(Object.groupBy(upgraded, ({ verdict }) => verdict)).map(
  ([verdict, runs = []]) => `${runs.length} ${verdict}`,
);
console.log(
  `${count} runs in ${seconds.toFixed(1)} s, with a worker killed on the way: ${verdicts.join(', ')}`,
);
console.log(`moved ${moved.size}; ended by the new source ${counts.new}, by the old one ${counts.old}`);
console.log(`wrong ${counts.wrong}, asked twice ${counts.askedTwice}`);
worker.kill('SIGKILL');
await stage.close();
process.exit(counts.wrong + counts.askedTwice === 0 && upgraded.length === count ? 0 : 1);
