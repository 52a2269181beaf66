import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { startBrokenWorker } from '../../support/broken-worker.js';
import { cliFolder, type CliFolder, type Ended } from '../../support/cli-folder.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** Runs whose workflow task fails again and again, as every command shows them, until a good worker is there. */

let server: TestServer;
let folder: CliFolder;
let broken: TestWorker;
/** What a client's question comes to; the server takes its time for it. */
let asked: Promise<unknown>;

const asking = procedureSource('function main() return { ok = Human.approve("Sure?") } end');
const stuck = {
  since: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
  attempt: expect.any(Number) as number,
  cause: 'workflow_worker_unhandled_failure',
  message: 'undefined is not a deploy',
};
const fault = 'undefined is not a deploy';

beforeAll(async () => {
  server = await startDevServer();
  folder = cliFolder();
  const worker = await startWorker(server);
  await pendingOf(await server.tactus.start(asking, {}, { runId: 'waits' }));
  await pendingOf(await server.tactus.start(asking, {}, { runId: 'fine' }));
  await server.tactus.execute(procedureSource('return 1'), {}, { runId: 'done' });
  await worker.stop();
  broken = await startBrokenWorker(server);
  await server.tactus.start(asking, {}, { runId: 'new' });
  const { handle } = server.tactus.attach('waits');
  await handle.signal('decide', { request: 'waits/0', value: true, by: 'Ada' });
  for (const id of ['waits', 'new'])
    await waitUntil(async () => {
      const { raw } = await server.tactus.attach(id).handle.describe();
      return (raw.pendingWorkflowTask?.attempt ?? 0) > 1;
    });
  asked = server.tactus
    .attach('new')
    .status()
    .catch((error: unknown) => error);
});
afterAll(async () => {
  await server?.stop();
});

function cli(...args: string[]): Promise<Ended> {
  return folder.run([...args, '--address', server.env.address]);
}

async function json(args: string[], code: number): Promise<JsonObject> {
  const ended = await cli(...args, '--json');
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
  return ended.json();
}

it('is shown by status, with what it is stuck on and what to do', async () => {
  const incomplete = expect.stringContaining('while the run is stuck') as string;
  for (const run_id of ['waits', 'new'])
    expect(await json(['status', run_id], 0)).toMatchObject({ run_id, stuck, incomplete, closed_at: null });
  const { stdout } = await cli('status', 'waits');
  expect(stdout).toMatch(
    /^stuck since \S+Z, on attempt \d+: undefined is not a deploy\. It goes on by itself/m,
  );
});

it('is shown by list, without asking the runs', async () => {
  const { runs } = (await json(['list'], 0)) as { runs: JsonObject[] };
  const of = (id: string): unknown => runs.find(({ run_id }) => run_id === id)?.['stuck'];
  expect([of('waits'), of('new'), of('fine'), of('done')]).toEqual([stuck, stuck, null, null]);
  const { stdout } = await cli('list');
  expect(stdout.split(fault)).toHaveLength(3);
});

it('is shown by doctor', async () => {
  const { checks } = (await json(['doctor'], 1)) as { checks: JsonObject[] };
  const check = checks.find(({ name }) => name === 'runs');
  expect(check).toMatchObject({ status: 'broken', advice: expect.stringContaining('deploy') as string });
  expect(check?.['detail']).toMatch(/^3 open, 2 stuck; .*undefined is not a deploy/);
});

it('is named by whoever needs its answer', async () => {
  const missing = expect.arrayContaining([
    { run_id: 'waits', reason: expect.stringContaining(fault) as string },
    { run_id: 'new', reason: expect.stringContaining(fault) as string },
    // It isn't stuck, as it has nothing to do, but this worker can't answer for it.
    { run_id: 'fine', reason: expect.stringContaining("can't replay the run fine") as string },
  ]) as JsonObject[];
  expect(await json(['pending'], 4)).toEqual({ source: 'runs', pending: [], missing });
  expect(await json(['pending', 'waits'], 4)).toMatchObject({ missing: [{ run_id: 'waits' }] });
  for (const command of [
    ['log', 'waits'],
    ['state', 'waits'],
    ['respond', 'waits/0', 'y'],
  ])
    expect((await json(command, 4))['error'], command[0]).toMatchObject({
      code: 'run_stuck',
      message: expect.stringContaining(fault) as string,
    });
});

it('is told to who follows it, once', async () => {
  const ended = await cli('result', 'waits', '--json', '--timeout', '4s');
  expect(ended.code).toBe(3);
  expect(ended.json()).toMatchObject({ stuck });
  expect(ended.stderr.split(fault)).toHaveLength(2);
  expect(ended.stderr).toContain('tactus-temporal resume waits');
});

it('is told to who cancels one', async () => {
  expect(await json(['cancel', 'new'], 3)).toMatchObject({ run_id: 'new', stuck });
});

it('is told to a client that asks it', async () => {
  expect(await asked).toMatchObject({ code: 'run_stuck', details: { run_id: 'new', stuck } });
});

it('goes on by itself when a good worker takes over', async () => {
  await broken.stop();
  const following = cli('resume', 'waits', '--json');
  const good = await startWorker(server);
  expect(await server.tactus.attach('waits').result()).toEqual({ ok: true });
  expect(await json(['status', 'waits'], 0)).toMatchObject({ stuck: null, output: { ok: true } });
  expect((await following).json()).toMatchObject({ output: { ok: true } });
  await expect(server.tactus.attach('new').result()).rejects.toMatchObject({ code: 'cancelled' });
  const { pending } = await json(['pending'], 0);
  expect((pending as JsonObject[]).map(({ id }) => id).sort()).toEqual(['fine/0']);
  await good.stop();
});
