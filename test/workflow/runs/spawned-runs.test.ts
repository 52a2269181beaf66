import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);

const files = {
  'double.tac': 'Procedure { function(input) Sleep(input.s or 0.01) return { twice = 2 * input.n } end }',
  'fails.tac': 'Procedure { function() error("no luck") end }',
  'asks.tac': 'Procedure { function() return { ok = Human.approve("Go on?") } end }',
};

async function start(body: string, historyEvents?: number) {
  const source: ProcedureSource = procedureOf(body, files);
  const limits = historyEvents === undefined ? {} : { limits: { historyEvents } };
  return server.tactus.start(source, {}, limits);
}

/** Histories of a run that failed no workflow task and replay as they are. */
async function soundHistories(runId: string) {
  const histories = await historiesOf(server.client, runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, { runId })).toEqual([]);
  return histories;
}

describe('Procedure.spawn', () => {
  it.each<{ name: string; body: string; output: JsonValue }>([
    {
      name: 'starts runs side by side, and each gives its output',
      body: `local hs = {}
        for n = 1, 3 do hs[n] = Procedure.spawn("double", { n = n, s = 1 }) end
        local first = Procedure.wait(hs[2])
        local all = Procedure.wait_all(hs)
        return { first.twice, all[1].twice, all[2].twice, all[3].twice }`,
      output: [4, 2, 4, 6],
    },
    {
      name: 'gives the first that ends',
      body: `local slow = Procedure.spawn("asks")
        local fast = Procedure.spawn("double", { n = 4 })
        local first = Procedure.wait_any({ slow, fast })
        return { first == fast, Procedure.is_complete(slow), Procedure.all_complete({ slow, fast }), Procedure.wait(first).twice }`,
      output: [true, false, false, 8],
    },
    {
      name: 'raises the error of one that failed, as often as it is waited for',
      body: `local h = Procedure.spawn("fails")
        local ok, first = pcall(Procedure.wait, h)
        local again, second = pcall(Procedure.wait, h)
        return { ok, again, tostring(first):find("no luck") ~= nil, Procedure.status(h).status }`,
      output: [false, false, true, 'failed'],
    },
    {
      name: 'has an error where there is no such file',
      body: 'return { pcall(Procedure.spawn, "nowhere") }',
      output: [false, expect.stringContaining('Procedure.spawn: there is no file nowhere') as string],
    },
    {
      name: 'is asked again and again, until it is over',
      body: `local h = Procedure.spawn("double", { n = 1, s = 1 })
        local looks = 0
        while not Procedure.is_complete(h) do looks = looks + 1 end
        return { looks > 0, Procedure.wait(h).twice }`,
      output: [true, 2],
    },
    {
      name: 'is given up when its time is over, and goes on',
      body: `local h = Procedure.spawn("double", { n = 1, s = 4 })
        local ok, e = pcall(Procedure.wait, h, { timeout = 1 })
        return { ok, tostring(e):find("has not ended after 1 s") ~= nil, Procedure.wait(h).twice }`,
      output: [false, true, 2],
    },
    {
      name: 'is waited for beside files that are read',
      body: `local hs = {}
        for n = 1, 4 do hs[n] = Procedure.spawn("double", { n = n }) end
        local r = Parallel{
          function() return Procedure.wait_all(hs)[4].twice end,
          function() for i = 1, 20 do pcall(File.exists, "x" .. i) end return "read" end,
          function() while not Procedure.all_complete(hs) do end return "seen" end,
        }
        return r`,
      output: [8, 'read', 'seen'],
    },
    {
      name: 'is cancelled by one branch while another waits for it',
      body: `local h = Procedure.spawn("asks")
        return Parallel{
          function() return (pcall(Procedure.wait, h)) end,
          function() Sleep(0.1) Procedure.cancel(h) return "cancelled" end,
        }`,
      output: [false, 'cancelled'],
    },
  ])('$name', async ({ body, output }) => {
    const run = await start(body);
    expect(await run.result()).toEqual(output);
    await soundHistories(run.runId);
  });

  it('shows what its runs ask people, waited for or not', async () => {
    const run = await start(`
      local h = Procedure.spawn("asks")
      local mine = Human.approve("Mine?")
      return { mine, Procedure.wait(h).ok }`);
    await pendingOf(run);
    const asked = await waitUntil(async () => {
      const requests = await server.tactus.pending(run.runId);
      return requests.length === 2 && requests;
    });
    expect(asked.map(({ id }) => id).sort()).toEqual([`${run.runId}/0/0`, `${run.runId}/1`]);
    expect(await run.status()).toMatchObject({ status: 'waiting_for_human', children: [`${run.runId}/0`] });
    await server.tactus.decide({ request: `${run.runId}/1`, value: true });
    await waitUntil(async () => (await run.status()).status === 'waiting_for_children');
    expect((await run.status()).waits).toMatchObject([
      { kind: 'child', name: 'asks', runs: [`${run.runId}/0`] },
    ]);
    await server.tactus.decide({ request: `${run.runId}/0/0`, value: false });
    expect(await run.result()).toEqual([true, false]);
    expect((await run.status()).children).toEqual([]);
  });

  it.each([
    { how: 'terminated', status: 'failed' },
    { how: 'cancelled', status: 'cancelled' },
  ])('tells of one that was $how by hand', async ({ how, status }) => {
    const run = await start(`
      local h = Procedure.spawn("asks")
      local ok = pcall(Procedure.wait, h)
      return { ok, Procedure.status(h).status }`);
    const child = server.tactus.attach(`${run.runId}/0`);
    await pendingOf(child);
    if (how === 'terminated') await child.handle.terminate('by hand');
    else await child.cancel();
    expect(await run.result()).toEqual([false, status]);
    await soundHistories(run.runId);
  });

  it('cancels a run that is wanted no longer', async () => {
    const run = await start(`
      local h = Procedure.spawn("asks")
      Sleep(1)
      Procedure.cancel(h)
      return { Procedure.is_complete(h), (pcall(Procedure.wait, h)) }`);
    expect(await run.result()).toEqual([true, false]);
    await expect(server.tactus.attach(`${run.runId}/0`).result()).rejects.toMatchObject({
      code: 'cancelled',
    });
    await soundHistories(run.runId);
  });

  it.each(['return 1', 'error("enough")'])('ends with the run that started it: %s', async (end) => {
    const run = await start(`Procedure.spawn("asks") ${end}`);
    await run.result().catch(() => undefined);
    await expect(server.tactus.attach(`${run.runId}/0`).result()).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('is known after the run has continued as new, whatever became of it meanwhile', async () => {
    const run = await start(
      `local told, open, gone = Procedure.spawn("double", { n = 1 }), Procedure.spawn("asks"), Procedure.spawn("asks")
      local early = Procedure.spawn("double", { n = 3 })
      local first = Procedure.wait(told).twice
      for i = 1, 12 do Sleep(0.3) end
      local again = Procedure.wait(told).twice
      local ok = pcall(Procedure.wait, gone)
      return { first, again, Procedure.wait(early).twice, ok, Procedure.status(gone).status, Procedure.wait(open).ok }`,
      25,
    );
    const [open, gone] = [1, 2].map((at) => server.tactus.attach(`${run.runId}/${at}`));
    await pendingOf(gone as NonNullable<typeof gone>);
    await waitUntil(async () => (await historiesOf(server.client, run.runId)).length > 1);
    await gone?.handle.terminate('by hand');
    await server.tactus.decide({ request: `${open?.runId}/0`, value: true });
    expect(await run.result()).toEqual([2, 2, 6, false, 'failed', true]);
    expect((await soundHistories(run.runId)).length).toBeGreaterThan(1);
  });
});

describe('Procedure.await_children', () => {
  it('waits for runs of others too', async () => {
    const other = await server.tactus.start(procedureOf('return { ok = Human.approve("Elsewhere?") }'));
    const done = await server.tactus.start(procedureOf('error("broken")'));
    await done.result().catch(() => undefined);
    const run = await start(`
      local mine = Procedure.spawn("double", { n = 5 })
      return Procedure.await_children{
        children = { { id = mine }, { id = "${other.runId}" }, { id = "${done.runId}" } },
      }`);
    await waitUntil(async () => (await run.status()).status === 'waiting_for_children');
    expect((await server.tactus.pending(run.runId)).map(({ message }) => message)).toEqual(['Elsewhere?']);
    await server.tactus.decide({ request: `${other.runId}/0`, value: true });
    expect(await run.result()).toEqual({
      children: [
        { id: `${run.runId}/0`, status: 'completed', terminal: true, output: { twice: 10 } },
        { id: other.runId, status: 'completed', terminal: true, output: { ok: true } },
        {
          id: done.runId,
          status: 'failed',
          terminal: true,
          error: expect.stringContaining('broken') as string,
        },
      ],
      complete: true,
    });
    await soundHistories(run.runId);
  });

  it('goes on with the first where one is enough', async () => {
    const other = await server.tactus.start(procedureOf('return Human.approve("Never answered?")'));
    const run = await start(`
      local mine = Procedure.spawn("double", { n = 5 })
      local seen = Procedure.await_children{ mode = "any", children = { { id = "${other.runId}" }, { id = mine } } }
      return { seen.children[1].terminal, seen.children[2].output.twice }`);
    expect(await run.result()).toEqual([false, 10]);
    await soundHistories(run.runId);
  });

  it('says that there is no such run', async () => {
    const run = await start('return Procedure.await_children{ children = { { id = "nobody" } } }');
    await expect(run.result()).rejects.toMatchObject({
      code: 'child_failed',
      message: expect.stringContaining('There is no run nobody') as string,
    });
  });
});

describe('Procedure.defer', () => {
  const deferral = (at: string): string =>
    `return Procedure.defer{ key = "k", resume_at = "${at}", reason = "not yet" }`;

  it('waits for a time that lies beyond the longest timer', async () => {
    const run = await start(deferral('2150-01-01T00:00:00Z'));
    const view = await waitUntil(async () => {
      const seen = await run.status();
      return seen.waits.length > 0 && seen;
    });
    expect(view).toMatchObject({
      status: 'waiting_for_time',
      waits: [{ kind: 'time', name: 'k', resume_at: '2150-01-01T00:00:00Z' }],
    });
    await run.cancel();
    await soundHistories(run.runId);
  });

  it('goes on at once where the time has come', async () => {
    const run = await start(deferral('2020-01-01T00:00:00Z'));
    expect(await run.result()).toMatchObject({ completed: true, resume_at: '2020-01-01T00:00:00Z' });
  });
});
