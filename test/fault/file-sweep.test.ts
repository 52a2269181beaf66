import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { failedTasks } from '../support/histories.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { seen } from './seen.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));
const output = {
  seen: [3, false, '2', 4, ['again.txt', 'count.txt', 'letters.txt', 'notes.txt']],
  files: { count: '2', notes: 'w+a+b', again: '2' },
};
const atOnce = 3;
/** Behind every which of the operations, and from which on. `KILL_EVERY=1`: behind each. */
const every = Math.min(3, Number(process.env['KILL_EVERY'] ?? 3));
const from = Number(process.env['SAMPLE_SEED'] ?? 0) % every;

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

/** Kills the worker when it has performed its nth operation on a file, and nobody has heard of it yet. */
async function run(nth?: number): Promise<SweepOutcome & { files: Record<string, string> }> {
  const filesRoot = temporaryFolder('files');
  const outcome = await sweepRun(server, {
    runId: `files-${nth ?? 'undisturbed'}`,
    source: await collectSource(folder, 'files.tac'),
    input: {},
    filesRoot,
    env: {},
    request: null,
    ...(nth === undefined ? {} : { killAt: { station: 'fileOutcome', nth: 2 * nth } }),
  });
  return { ...outcome, files: filesIn(filesRoot) };
}

/** By name, as a person sees them; branches may come in any order. */
function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root).filter((name) => !name.startsWith('.'));
  const text = (name: string): string => readFileSync(join(root, name), 'utf8');
  return Object.fromEntries(
    names.map((name) => [name, name === 'letters.txt' ? [...text(name)].sort().join('') : text(name)]),
  );
}

it('a worker that is killed behind any operation on a file costs none of them, and none is done twice', async () => {
  const undisturbed = await run();
  expect(undisturbed.output).toEqual(output);
  expect(undisturbed.files).toEqual({
    ...{ 'count.txt': '2', 'notes.txt': 'w+a+b', 'again.txt': '2', 'letters.txt': 'xxyy' },
  });
  const operations = undisturbed.stations.filter((station) => station === 'fileOutcome').length / 2;
  expect(operations).toBeGreaterThanOrEqual(22);
  const histories: Parameters<typeof replayHistories>[0] = [];
  const kills = Array.from({ length: operations }, (_, i) => i + 1).filter((nth) => nth % every === from);
  await eachOf(kills, atOnce, async (nth) => {
    const outcome = await run(nth);
    expect(outcome.boundaries, `killed behind operation ${nth}`).toBeNull();
    expect(outcome.output, `killed behind operation ${nth}`).toEqual(output);
    expect(outcome.files, `killed behind operation ${nth}`).toEqual(undisturbed.files);
    expect(seen(outcome), `killed behind operation ${nth}`).toEqual(seen(undisturbed));
    expect(failedTasks(outcome.histories)).toEqual([]);
    histories.push(...outcome.histories.map((history) => ({ workflowId: `files-${nth}`, history })));
    return true;
  });
  expect(await replayHistories(histories)).toEqual([]);
}, 600_000);
