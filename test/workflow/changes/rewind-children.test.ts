import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { expectReplays } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { waitUntil } from '../../support/wait-until.js';
import { agents, approve, executionOf, procedure, rewinding } from './rewinding.js';

const { around, start, rewind, attach, calls } = rewinding();
const isClosed = async (id: string): Promise<boolean> =>
  (await attach(id).handle.describe()).status.name !== 'RUNNING';

describe('child runs of a run that goes back', () => {
  const child = `Procedure { input = { n = field.integer{} }, function(input)
    local ok = Human.approve("Child " .. input.n .. "?")
    return { n = input.n, ok = ok }
  end }`;

  it('end where they were started after the checkpoint, and others are started in their place', async () => {
    const run = await start(
      procedure(
        `local one = writer("One").output
        local two = Procedure.run("child.tac", { n = 2 })
        return { one = one, two = two }`,
        { 'child.tac': child },
      ),
    );
    const id = `${run.runId}/1`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
    const first = await executionOf(attach(id));
    const { plan } = await rewind(run, { at: '0' });
    expect(plan.children).toEqual([{ run_id: id, becomes: 'ended' }]);
    await waitUntil(async () => (await executionOf(attach(id))) !== first);
    expect((await attach(id).inExecution(first).handle.describe()).status.name).toBe('CANCELLED');
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
    await approve(attach(id));
    expect(await run.result()).toEqual({ one: 'said 2', two: { n: 2, ok: true } });
    await expectReplays(around.server.tactus, run.runId);
  });

  it('that take their time to end are waited for before others are started in their place', async () => {
    const slow = `Procedure { function(input)
      local ok, failure = pcall(function() Human.approve("Wait?") end)
      return { ok = ok }
    end }`;
    const run = await start(
      procedureOf(
        `local one = checkpoint(function() return 1 end)
        local id = Procedure.spawn("child.tac", {})
        local two = checkpoint(function() return 2 end)
        local ok = Human.approve("Parent?")
        return { ok = ok, child = Procedure.await_children({ children = { id }, mode = "all" }).children[1].status }`,
        { 'child.tac': slow },
      ),
    );
    const id = `${run.runId}/1`;
    await pendingOf(run);
    const first = await executionOf(attach(id));
    const { plan } = await rewind(run, { at: '1', mayRepeat: true });
    expect(plan.children).toEqual([{ run_id: id, becomes: 'ended' }]);
    await waitUntil(async () => (await executionOf(attach(id))) !== first);
    await pendingOf(run);
    await approve(run);
    await approve(attach(id));
    expect(await run.result()).toEqual({ ok: true, child: 'completed' });
  });

  // Elsewhere such a run waits for ever: temporalio/temporal#10639.
  it('that ended after their parent had failed are heard of when it goes back', async () => {
    const run = await start(
      procedureOf(
        `local results = Parallel {
          function() return Procedure.run("child.tac", { n = 1 }) end,
          function()
            checkpoint(function() return 2 end)
            if Human.approve("Fail?") then error("as wanted") end
            return "went on"
          end,
        }
        return results`,
        { 'child.tac': child },
      ),
    );
    const id = `${run.runId}/0.0.0`;
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
    await run.handle.terminate('the machine is gone');
    await approve(attach(id));
    await waitUntil(() => isClosed(id));
    const execution = await executionOf(attach(id));
    const { plan } = await rewind(run, { at: '0.1.0' });
    expect(plan.children).toEqual([{ run_id: id, becomes: 'adopted' }]);
    expect(plan.again).not.toContainEqual(expect.objectContaining({ position: '0.0.0' }));
    await approve(run, false);
    expect(await run.result()).toEqual([{ n: 1, ok: true }, 'went on']);
    expect(await executionOf(attach(id))).toBe(execution);
  });

  it('that are under way go along, whether their parent is open or was terminated', async () => {
    const source = procedureOf(
      `local results = Parallel {
        function() return Procedure.run("child.tac", { n = 1 }) end,
        function()
          checkpoint(function() return 2 end)
          return Human.approve("Go?")
        end,
      }
      return results`,
      { 'child.tac': child },
    );
    for (const isTerminated of [false, true]) {
      const run = await start(source);
      const id = `${run.runId}/0.0.0`;
      await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 2);
      const execution = await executionOf(attach(id));
      if (isTerminated) await run.handle.terminate();
      const { plan } = await rewind(run, { at: '0.1.0' });
      expect(plan.children).toEqual([{ run_id: id, becomes: 'adopted' }]);
      await approve(run);
      await approve(attach(id));
      expect(await run.result()).toEqual([{ n: 1, ok: true }, true]);
      expect(await executionOf(attach(id))).toBe(execution);
    }
  });

  it('go back themselves while their parent waits for them', async () => {
    const run = await start(
      procedureOf('return Procedure.run("child.tac", { n = 1 })', {
        'child.tac': `${agents}Procedure { input = { n = field.integer{} }, function(input)
          local said = writer("One").output
          return { said = said, ok = Human.approve("Child?") }
        end }`,
      }),
    );
    const of = attach(`${run.runId}/0`);
    await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
    const paid = calls();
    await rewind(of, { at: '0' });
    await waitUntil(async () => calls() === paid + 1);
    await approve(of);
    expect(await run.result()).toEqual({ said: 'said 2', ok: true });
  });

  it('end with it where it is cancelled at the same moment, and what was begun is compensated', async () => {
    const source = procedure(
      `Saga("trip", function(saga)
        saga.add_compensation("undo", function() Sleep(0.01) end)
        writer("One")
        Procedure.run("child.tac", { n = 1 })
      end)
      return "never"`,
      { 'child.tac': child },
    );
    for (const pauseMs of [0, 10, 20, 40, 80]) {
      const run = await start(source);
      await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
      const { execution_log: log } = await run.log();
      const at = log.find(({ type }) => type === 'agent_turn')?.position ?? '';
      const rewinding = rewind(run, { at }).catch((error: unknown) => error);
      await delay(pauseMs);
      await run.cancel();
      await rewinding;
      await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
      const steps = (await run.log()).execution_log.filter(({ type }) => type === 'step');
      expect(
        steps.map(({ name }) => name),
        `after ${pauseMs} ms`,
      ).toEqual(['undo']);
      await expectReplays(around.server.tactus, run.runId);
    }
  });
});
