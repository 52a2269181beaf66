import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { failedTasks } from '../support/histories.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));
const output = {
  first: ['before all', false, 'there', 0, 0],
  between: 'before all!',
  done: 1,
  last: ['again', ['log.txt', 'made.txt'], 1, 1],
};
/** Hidden files too: nothing that was kept is left. */
const names = ['log.txt', 'made.txt'];
const atOnce = 3;
/** Behind every which of the operations. `KILL_EVERY=1`: behind each. */
const every = Math.min(2, Number(process.env['KILL_EVERY'] ?? 2));
const from = Number(process.env['SAMPLE_SEED'] ?? 0) % every;

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

/** Kills the worker when it has performed its nth operation on a file, and nobody has heard of it yet. */
async function run(nth?: number): Promise<SweepOutcome & { names: string[] }> {
  const filesRoot = temporaryFolder('transaction');
  const outcome = await sweepRun(server, {
    runId: `transaction-${nth ?? 'undisturbed'}`,
    source: await collectSource(folder, 'transaction.tac'),
    input: {},
    filesRoot,
    env: {},
    request: null,
    ...(nth === undefined ? {} : { killAt: { station: 'fileOutcome', nth: 2 * nth } }),
  });
  return { ...outcome, names: readdirSync(filesRoot).sort() };
}

it('a worker that is killed behind any operation of a transaction leaves files, state and session as without', async () => {
  const undisturbed = await run();
  expect(undisturbed.output).toEqual(output);
  expect(undisturbed.names).toEqual(names);
  const operations = undisturbed.stations.filter((station) => station === 'fileOutcome').length / 2;
  expect(operations).toBeGreaterThan(20);
  const kills = Array.from({ length: operations }, (_, i) => i + 1).filter((nth) => nth % every === from);
  const histories: Parameters<typeof replayHistories>[0] = [];
  await eachOf(kills, atOnce, async (nth) => {
    const killed = await run(nth);
    expect(killed.boundaries, `killed behind operation ${nth}`).toBeNull();
    expect(killed.output, `killed behind operation ${nth}`).toEqual(output);
    expect(killed.names, `killed behind operation ${nth}`).toEqual(names);
    expect(failedTasks(killed.histories), `killed behind operation ${nth}`).toEqual([]);
    histories.push(...killed.histories.map((history) => ({ workflowId: `transaction-${nth}`, history })));
    return true;
  });
  expect(await replayHistories(histories)).toEqual([]);
}, 600_000);
