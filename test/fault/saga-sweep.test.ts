import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchAttributeNames } from '../../src/contract/names.js';
import { collectSource } from '../../src/sources/collect-source.js';
import { failedTasks } from '../support/histories.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));

/** See the sweep of all other effects: `KILL_EVERY=1` is at all boundaries, and each commit has others. */
const every = Number(process.env['KILL_EVERY'] ?? 10);
const from = Number(process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % every));
const atOnce = 4;

const undone = ['cancel car', 'cancel hotel', 'cancel flight', 'tidy up'];

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

/** Cancels a run as soon as it waits for a person; no worker need live. */
async function cancelWhenAsked(runId: string, signal: AbortSignal): Promise<void> {
  const handle = server.client.workflow.getHandle(runId);
  while (!signal.aborted) {
    const description = await handle.describe().catch(() => null); // not started yet
    const status = description?.typedSearchAttributes
      .getAll()
      .find(({ key }) => key.name === searchAttributeNames.status)?.value;
    if (status === 'waiting_for_human') return void (await handle.cancel());
    await delay(50);
  }
}

async function run(killAt?: number): Promise<SweepOutcome & { files: string[] }> {
  const runId = `saga-${killAt ?? 'undisturbed'}`;
  const filesRoot = temporaryFolder('saga');
  const outcome = await sweepRun(server, {
    ...{ runId, filesRoot, input: {}, env: {}, request: null, endsCancelled: true },
    source: await collectSource(folder, 'saga.tac'),
    answering: (signal) => cancelWhenAsked(runId, signal),
    ...(killAt === undefined ? {} : { killAt }),
  });
  const names = readdirSync(filesRoot).filter((name) => name.endsWith('.txt'));
  return {
    ...outcome,
    files: names.sort().map((name) => `${name} ${readFileSync(join(filesRoot, name), 'utf8')}`),
  };
}

const files = [
  'car.txt cancelled',
  'end.txt tidy',
  'flight.txt cancelled',
  'hotel.txt cancelled',
  'last.txt flight',
];

/** What was undone, in order, as the log has it. */
const undoneIn = ({ log }: SweepOutcome): string[] =>
  log.flatMap(({ name, type }) => (type === 'step' && name !== null && undone.includes(name) ? [name] : []));

it('a saga under cancellation is compensated once and in order, wherever its worker dies', async () => {
  const undisturbed = await run();
  expect(undisturbed.view).toMatchObject({ status: 'cancelled', error: null });
  expect(undoneIn(undisturbed)).toEqual(undone);
  expect(undisturbed.files).toEqual(files);
  const boundaries = undisturbed.boundaries ?? 0;
  expect(boundaries).toBeGreaterThan(20);
  const histories: Parameters<typeof replayHistories>[0] = [];
  let killed = 0;
  const kills = Array.from({ length: Math.ceil(boundaries / every) }, (_, i) => i * every + from);
  await eachOf(kills, atOnce, async (killAt) => {
    const outcome = await run(killAt);
    if (outcome.boundaries === null) killed++;
    expect(outcome.view, `killed at ${killAt}`).toMatchObject({ status: 'cancelled', error: null });
    expect(undoneIn(outcome), `killed at ${killAt}`).toEqual(undone);
    expect(outcome.files, `killed at ${killAt}`).toEqual(files);
    expect(failedTasks(outcome.histories), `killed at ${killAt}`).toEqual([]);
    histories.push(...outcome.histories.map((history) => ({ workflowId: `saga-${killAt}`, history })));
    return true;
  });
  expect(killed).toBeGreaterThan(1);
  expect(await replayHistories(histories)).toEqual([]);
}, 600_000);
