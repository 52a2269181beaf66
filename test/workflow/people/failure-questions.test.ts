import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const files = temporaryFolder('failure-questions');

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

const loads = (name: string, question: string): ReturnType<typeof procedureOf> =>
  procedureOf(`
    local ok, value = pcall(step, "load", function() return File.read("${name}.txt") end, { on_failure = ${question} })
    return { ok = ok, value = value, code = Error.code(value) }`);

const replayed = (run: TactusRun): Promise<string[]> => replayRun(server.client, run);

describe('the question of a step that has failed', () => {
  it('lets it go on when what was missing is there', async () => {
    const run = await server.tactus.start(loads('there', '"ask"'));
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      message: "step 'load' failed. Try it again?",
      context: { code: 'file_failed', repeats: [{ name: 'read there.txt', effect: 'pure', repeats: false }] },
      options: ['retry_here', 'retry', 'value', 'give_up'],
    });
    writeFileSync(join(files, 'there.txt'), 'now');
    await run.decide({ request: request?.id ?? '', value: 'retry' });
    expect(await run.result()).toEqual({ ok: true, value: 'now' });
    expect(await replayed(run)).toEqual([]);
  });

  it('says what another attempt does a second time', async () => {
    const run = await server.tactus.start(
      procedureOf(
        `step("pay", function() File.append("paid.txt", "x") error("late") end, { on_failure = "ask" })`,
      ),
    );
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      context: {
        repeats: [{ position: '0.0', type: 'file', effect: 'once', repeats: true }],
        more: 0,
        second_time: 1,
      },
      form: {
        choices: [{ label: expect.stringContaining('a second time append paid.txt') as string }, {}, {}],
      },
    });
    await run.decide({ request: request?.id ?? '', value: 'retry' });
    const [again] = await pendingOf(run);
    expect(again?.context).toMatchObject({ second_time: 2 });
    await run.decide({ request: again?.id ?? '', value: 'give_up' });
    await expect(run.result()).rejects.toMatchObject({ code: 'lua_error' });
    expect(await replayed(run)).toEqual([]);
  });

  it('takes a value, by those who may decide', async () => {
    const run = await server.tactus.start(loads('gone', '{ approvers = { "ann" } }'));
    const [request] = await pendingOf(run);
    const decision = { request: request?.id ?? '', value: 'value' };
    expect(await run.decide({ ...decision, by: 'bob' })).toMatchObject({ outcome: 'not_allowed' });
    await run.decide({ ...decision, by: 'ann' });
    const [second] = await pendingOf(run);
    expect(second).toMatchObject({ message: "What does step 'load' give?", approvers: ['ann'] });
    await run.decide({ request: second?.id ?? '', value: { rows: 3 }, by: 'ann' });
    expect(await run.result()).toEqual({ ok: true, value: { rows: 3 } });
  });

  it('is over in time, after others were asked', async () => {
    const run = await server.tactus.start(
      loads('gone', '{ approvers = "ann", timeout = "1d", escalate_to = "bob" }'),
    );
    await pendingOf(run);
    expect(await run.result()).toMatchObject({ ok: false, code: 'file_failed' });
    expect(await replayed(run)).toEqual([]);
  });

  it('is taken back: the step fails', async () => {
    const run = await server.tactus.start(loads('gone', '"ask"'));
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', action: 'withdraw', value: null, by: 'zoe' });
    expect(await run.result()).toMatchObject({ ok: false, code: 'file_failed' });
  });

  it('goes with a run that is cancelled', async () => {
    const run = await server.tactus.start(loads('gone', '"ask"'));
    await pendingOf(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.status()).toMatchObject({ status: 'cancelled', pending: [] });
    expect(await replayed(run)).toEqual([]);
  });
});
