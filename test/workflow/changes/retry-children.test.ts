import { describe, expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { expectReplays } from '../../support/histories-below.js';
import { procedureOf } from '../../support/procedure-source.js';
import { waitUntil } from '../../support/wait-until.js';
import { agents, approve, procedure, rewinding } from './rewinding.js';

const { around, start, rewind, attach, calls } = rewinding();

const statusOf = async (id: string): Promise<string> => (await attach(id).handle.describe()).status.name;
const failing = (run: TactusRun): Promise<string> =>
  run.result().then(
    () => 'completed',
    (error: unknown) => (error as Error).message,
  );
/** Says something, and asks somebody; both count. */
const child = `${agents}Procedure { input = { n = field.integer { default = 1 } }, function(input)
  local said = writer("One").output
  return { n = input.n, said = said, ok = Human.approve("Child?") }
end }`;
/** Fails as long as nobody says yes. */
const fragile = `${agents}Procedure { function(input)
  local said = writer("One").output
  if not Human.approve("Good?") then error("nobody likes it") end
  return said
end }`;
/** The same, mended. */
const mended = fragile.replace('error("nobody likes it")', 'return "mended " .. said');

describe('child runs of a run that is tried again', () => {
  it('go on from their own logs where they were spawned and ended with it', async () => {
    const run = await start(
      procedureOf(
        `local id = Procedure.spawn("child.tac", { n = 1 })
        if not Human.approve("Parent?") then error("as wanted") end
        return Procedure.wait(id)`,
        { 'child.tac': child },
      ),
    );
    const id = `${run.runId}/0`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
    const [asked] = await attach(id).pending();
    const paid = calls();
    await approve(run, false);
    expect(await failing(run)).toContain('as wanted');
    await waitUntil(async () => (await statusOf(id)) === 'CANCELLED');
    const source = procedureOf(
      `local id = Procedure.spawn("child.tac", { n = 1 })
      Human.approve("Parent?")
      return Procedure.wait(id)`,
      { 'child.tac': child },
    );
    const { plan } = await readRetry(run, { source });
    expect(plan).toMatchObject({
      children: [{ run_id: id, becomes: 'adopted' }],
      again: [
        { position: '2', type: 'procedure_wait' },
        { position: '0/1', type: 'hitl_approval' },
      ],
    });
    const again = await around.server.tactus.retry(run.runId, { source });
    // It was taken back when the child ended, and is asked again under the same id.
    const [kept] = await waitUntil(async () => {
      const pending = await attach(id).pending();
      return pending.length === 1 && pending;
    });
    expect(kept?.id).toBe(asked?.id);
    await approve(attach(id));
    expect(await again.result()).toMatchObject({ n: 1, ok: true });
    expect(calls()).toBe(paid);
    await expectReplays(around.server.tactus, run.runId);
    await expectReplays(around.server.tactus, id);
  });

  it.each([
    ['were called', 'return Procedure.run("child.tac", {})', '0'],
    [
      'were spawned, and their ends ended it',
      'local id = Procedure.spawn("child.tac", {}) return Procedure.wait(id)',
      '1',
    ],
    [
      'were spawned, of several of which one has failed',
      `local ids = { Procedure.spawn("child.tac", {}), Procedure.spawn("other.tac", {}) }
      return Procedure.wait_all(ids)[1]`,
      '2',
    ],
  ])('go on from what failed where they %s, with a source that is mended', async (_, body, at) => {
    const files = { 'child.tac': fragile, 'other.tac': 'Procedure { function(input) return "other" end }' };
    const run = await start(procedureOf(body, files));
    const id = `${run.runId}/0`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
    const paid = calls();
    await approve(attach(id), false);
    expect(await failing(run)).toContain('nobody likes it');
    // The same code would only fail again: a call is to be done once alone.
    await expect(readRetry(run)).rejects.toMatchObject({
      code: at === '0' ? 'change_refused' : 'child_failed',
    });
    const source = procedureOf(body, { ...files, 'child.tac': mended });
    const retry = await readRetry(run, { source });
    expect(retry.at).toBe(at);
    expect(retry.plan.children).toContainEqual({ run_id: id, becomes: 'adopted' });
    expect(retry.plan.again.filter(({ repeats }) => repeats)).toEqual([]);
    expect(retry.plan.again.filter(({ effect }) => effect === 'model')).toEqual([]);
    await around.server.tactus.startFork(retry);
    expect(await run.result()).toMatch(/^mended said \d$/);
    expect(calls()).toBe(paid);
    await expectReplays(around.server.tactus, run.runId);
  });

  it('go on below child runs, too', async () => {
    const files = {
      'between.tac': 'Procedure { function(input) return Procedure.run("child.tac", {}) end }',
      'child.tac': fragile,
    };
    const body = 'return Procedure.run("between.tac", {})';
    const run = await start(procedureOf(body, files));
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
    const paid = calls();
    await approve(attach(`${run.runId}/0/0`), false);
    expect(await failing(run)).toContain('nobody likes it');
    const source = procedureOf(body, { ...files, 'child.tac': mended });
    const { plan } = await readRetry(run, { source });
    expect(plan.children).toEqual([
      { run_id: `${run.runId}/0`, becomes: 'adopted' },
      { run_id: `${run.runId}/0/0`, becomes: 'adopted' },
    ]);
    await around.server.tactus.retry(run.runId, { source });
    expect(await run.result()).toMatch(/^mended said \d$/);
    expect(calls()).toBe(paid);
  });

  it('do anew what they have taken back, if somebody agrees to that', async () => {
    const files = {
      'child.tac': `${agents}Procedure { function(input)
        writer("One")
        Saga("trip", function(saga)
          saga.add_compensation("undo", function() checkpoint(function() return "undone" end) end)
          http_client.post(input.shop .. "/book", { body = "1" })
          Human.approve("Child?")
        end)
        return "gone"
      end }`,
    };
    const body = (last: string): string => `
      local id = Procedure.spawn("child.tac", { shop = "${around.provider.url}" })
      if not Human.approve("Parent?") then ${last} end
      return Procedure.wait(id)`;
    const run = await start(procedureOf(body('error("as wanted")'), files));
    const id = `${run.runId}/0`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
    const paid = calls();
    await approve(run, false);
    expect(await failing(run)).toContain('as wanted');
    await waitUntil(async () => (await statusOf(id)) === 'CANCELLED');
    const source = procedureOf(body('checkpoint(function() end)'), files);
    const { plan } = await readRetry(run, { source, dryRun: true });
    expect(plan.children).toEqual([{ run_id: id, becomes: 'adopted' }]);
    expect(plan.again.filter(({ repeats }) => repeats)).toMatchObject([
      { position: '0/1.0', type: 'http', effect: 'once' },
    ]);
    await expect(readRetry(run, { source })).rejects.toMatchObject({ code: 'change_refused' });
    await around.server.tactus.retry(run.runId, { source, mayRepeat: true });
    await waitUntil(async () => (await attach(id).pending()).length === 1);
    await approve(attach(id));
    expect(await run.result()).toBe('gone');
    // The booking alone: the provider stands in for it.
    expect(calls()).toBe(paid + 1);
  });

  it('give what they have come to where they were tried again by themselves before', async () => {
    const files = { 'child.tac': fragile };
    const body = 'return Procedure.run("child.tac", {})';
    const run = await start(procedureOf(body, files));
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
    const paid = calls();
    const of = attach(`${run.runId}/0`);
    await approve(of, false);
    expect(await failing(run)).toContain('nobody likes it');
    await waitUntil(async () => (await statusOf(of.runId)) === 'FAILED');
    const source = { entry: 'child.tac', files: { 'child.tac': mended } };
    await around.server.tactus.retry(of.runId, { source });
    expect(await of.result()).toMatch(/^mended said \d$/);
    const { plan } = await readRetry(run);
    expect(plan.children).toEqual([{ run_id: of.runId, becomes: 'adopted' }]);
    await around.server.tactus.retry(run.runId);
    expect(await run.result()).toMatch(/^mended said \d$/);
    expect(calls()).toBe(paid);
  });

  it('go on with a run that goes back after it has failed', async () => {
    const run = await start(
      procedure(
        `local id = Procedure.spawn("child.tac", { n = 2 })
        writer("Parent")
        if not Human.approve("Parent?") then error("as wanted") end
        return Procedure.wait(id)`,
        { 'child.tac': child },
      ),
    );
    const id = `${run.runId}/0`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
    await approve(run, false);
    expect(await failing(run)).toContain('as wanted');
    await waitUntil(async () => (await statusOf(id)) === 'CANCELLED');
    const paid = calls();
    const { plan } = await rewind(run, { at: '2' });
    expect(plan.children).toEqual([{ run_id: id, becomes: 'adopted' }]);
    await approve(run);
    await waitUntil(async () => (await attach(id).pending()).length === 1);
    await approve(attach(id));
    expect(await run.result()).toMatchObject({ n: 2, ok: true });
    expect(calls()).toBe(paid);
  });

  it('that the procedure has cancelled stay as they ended', async () => {
    const body = (last: string): string => `
      local id = Procedure.spawn("child.tac", {})
      Human.approve("Parent?")
      Procedure.cancel(id)
      ${last}
      return Procedure.status(id).status`;
    const run = await start(procedureOf(body('error("as wanted")'), { 'child.tac': child }));
    const id = `${run.runId}/0`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
    await approve(run);
    expect(await failing(run)).toContain('as wanted');
    await waitUntil(async () => (await statusOf(id)) === 'CANCELLED');
    const source = procedureOf(body(''), { 'child.tac': child });
    const { plan } = await readRetry(run, { source });
    expect(plan.children).toEqual([{ run_id: id, becomes: 'kept' }]);
    await around.server.tactus.retry(run.runId, { source });
    expect(await run.result()).toBe('cancelled');
    expect(await statusOf(id)).toBe('CANCELLED');
  });
});

// A report that comes while nobody is there to take it is lost.
it('a child run that ends between the plan of a retry and its start is heard of', async () => {
  const run = await start(
    procedureOf(
      `local id = Procedure.spawn("child.tac", {})
      Human.approve("Parent?")
      return Procedure.wait(id).ok`,
      { 'child.tac': child },
    ),
  );
  const of = attach(`${run.runId}/0`);
  await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
  await run.handle.terminate('the machine is gone');
  const retry = await readRetry(run);
  expect(retry.plan.children).toEqual([{ run_id: of.runId, becomes: 'kept' }]);
  await approve(of);
  await waitUntil(async () => (await statusOf(of.runId)) === 'COMPLETED');
  await around.server.tactus.startFork(retry);
  await approve(run);
  expect(await run.result()).toBe(true);
  await expectReplays(around.server.tactus, run.runId);
});
