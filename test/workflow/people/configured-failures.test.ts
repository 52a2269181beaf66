import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const files = temporaryFolder('configured-failures');

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startTimeSkippingServer();
  worker = await startWorker(server, { activities: { filesRoot: files } });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

const replayed = (run: TactusRun): Promise<string[]> => replayRun(server.client, run);

const reads = 'File.read("gone.txt") return 1';
const settings = { onFailure: { approvers: ['ops'], timeout: '1d' } };

describe('the question of the configuration', () => {
  const asked = async (run: TactusRun): Promise<string> => (await pendingOf(run))[0]?.id ?? '';

  it('is asked where the main procedure fails, and given up in time', async () => {
    const run = await server.tactus.start(procedureOf(reads), {}, { settings });
    expect(await pendingOf(run)).toMatchObject([
      { message: "procedure 'main' failed. Try it again?", approvers: ['ops'] },
    ]);
    await expect(run.result()).rejects.toMatchObject({ code: 'file_failed' });
    expect(await replayed(run)).toEqual([]);
  });

  it.each([
    [{ approver: ['ops'] }, 'config_invalid', 'on_failure has no field approver'],
    [{ timeout: 'soon' }, 'config_invalid', 'on_failure .*timeout'],
    ['ask', 'usage', 'another form than RunSettings'],
  ])('that could not be asked as %j is refused before anything starts', async (onFailure, code, message) => {
    const runId = `refused-${JSON.stringify(onFailure)}`;
    const bad = { onFailure } as RunSettings;
    const refused = server.tactus.start(procedureOf(reads), {}, { runId, settings: bad });
    await expect(refused).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    await expect(server.tactus.attach(runId).status()).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('lets the run go on with a value', async () => {
    const run = await server.tactus.start(procedureOf(reads), {}, { settings });
    await run.decide({ request: await asked(run), value: 'value', by: 'ops' });
    await run.decide({ request: await asked(run), value: 7, by: 'ops' });
    expect(await run.result()).toBe(7);
    expect(await replayed(run)).toEqual([]);
  });

  it('is taken back: the run fails', async () => {
    const run = await server.tactus.start(procedureOf(reads), {}, { settings });
    await run.decide({ request: await asked(run), action: 'withdraw', value: null, by: 'ops' });
    await expect(run.result()).rejects.toMatchObject({ code: 'file_failed' });
    expect(await replayed(run)).toEqual([]);
  });

  it('goes with a run that is cancelled', async () => {
    const run = await server.tactus.start(procedureOf(reads), {}, { settings });
    await asked(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.status()).toMatchObject({ pending: [] });
    expect(await replayed(run)).toEqual([]);
  });

  it.each([
    ['runs', 'return Procedure.run("child.tac")'],
    ['waits for', 'return Procedure.wait(Procedure.spawn("child.tac"))'],
  ])('is asked in the child that a run %s, and not again above it', async (_, call) => {
    const source = procedureOf(call, { 'child.tac': `Procedure { function() ${reads} end }` });
    const run = await server.tactus.start(source, {}, { settings });
    const child = server.tactus.attach(`${run.runId}/0`);
    await waitUntil(async () => (await run.status()).children.length === 1);
    await child.decide({ request: await asked(child), value: 'give_up', by: 'ops' });
    await expect(run.result()).rejects.toMatchObject({ code: 'child_failed' });
    expect((await run.log()).execution_log.map(({ type }) => type)).not.toContain('hitl_select');
    for (const each of [run, child]) expect(await replayed(each)).toEqual([]);
  });

  it('is refused by the run where nobody could be asked so, and another client has started it', async () => {
    const odd = { onFailure: { timeout: 'soon' } };
    await server.client.workflow.start('tactus', {
      ...{ workflowId: 'odd', taskQueue: server.tactus.taskQueue },
      args: [{ source: procedureOf('File.write("odd.txt", "x")'), input: {}, settings: odd }],
    });
    const run = server.tactus.attach('odd');
    await expect(run.result()).rejects.toMatchObject({
      message: expect.stringContaining('timeout') as string,
    });
    expect((await run.log()).execution_log).toEqual([]);
  });
});
