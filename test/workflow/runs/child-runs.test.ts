import { describe, expect, it } from 'vitest';
import type { StartInput } from '../../../src/contract/runs/start-input.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const asks =
  'Procedure { function(input) return { ok = Human.approve("Go on with " .. input.what .. "?") } end }';

const server = serverWithWorker(startDevServer);

/** A procedure that runs child.tac once and says how that went. */
function parentOf(child: string, input = '{}') {
  const main = `Procedure { function()
    local ok, result = pcall(function() return Procedure.run("child.tac", ${input}) end)
    return { ok = ok, result = ok and result or tostring(result) }
  end }`;
  return procedureSource(main, { 'child.tac': child });
}

describe('Procedure.run', () => {
  it.each([
    {
      name: 'gives the output',
      child:
        'Procedure { input = { n = field.number{required = true} }, function(input) return { twice = 2 * input.n } end }',
      input: '{ n = 21 }',
      expected: { ok: true, result: { twice: 42 } },
    },
    {
      name: 'raises the error of a child that fails',
      child: 'Procedure { function() error("no luck") end }',
      expected: { ok: false, result: expect.stringMatching(/child\.tac.*no luck|no luck/) as string },
    },
    {
      name: 'raises what is wrong with the input',
      child: 'Procedure { input = { n = field.number{required = true} }, function(input) return 1 end }',
      expected: { ok: false, result: expect.stringContaining('Missing required field: n') as string },
    },
    {
      name: 'raises what is wrong with the source',
      child: 'Procedure {',
      expected: { ok: false, result: expect.stringContaining('child.tac') as string },
    },
    {
      name: 'runs children of children',
      child: 'Procedure { function() return Procedure.run("grandchild.tac", {}) end }',
      expected: { ok: false, result: expect.stringContaining('grandchild.tac') as string },
    },
  ])('$name', async ({ child, input, expected }) => {
    const run = await server.tactus.start(parentOf(child, input));
    expect(await run.result()).toEqual(expected);
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  });

  it('waits for the person whom the child asks', async () => {
    const run = await server.tactus.start(parentOf(asks, '{ what = "it" }'));
    const pending = await waitUntil(async () => {
      const requests = await server.tactus.pending(run.runId);
      return requests.length > 0 && requests;
    });
    expect(pending).toMatchObject([{ id: `${run.runId}/0/0`, message: 'Go on with it?' }]);
    expect(await run.status()).toMatchObject({ status: 'waiting_for_children', waits: [{ kind: 'child' }] });
    expect(await server.tactus.decide({ request: pending[0]?.id ?? '', value: true })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await run.result()).toEqual({ ok: true, result: { ok: true } });
  });

  it.each([{ how: 'terminated' }, { how: 'cancelled' }])(
    'raises an error when the child is $how',
    async ({ how }) => {
      const run = await server.tactus.start(parentOf(asks, '{ what = "it" }'));
      const child = server.tactus.attach(`${run.runId}/0`);
      await pendingOf(child);
      if (how === 'terminated') await child.handle.terminate('by hand');
      else await child.cancel();
      expect(await run.result()).toMatchObject({ ok: false });
      expect((await run.status()).status).toBe('completed');
    },
  );

  it('raises an error when the child is terminated after the parent continued as new', async () => {
    const source = procedureSource(
      `Procedure { function()
        return Parallel{
          function()
            local ok, e = pcall(function() return Procedure.run("child.tac", { what = "it" }) end)
            return { ok = ok }
          end,
          function() for i = 1, 6 do Sleep(0.001) end return 1 end,
        }
      end }`,
      { 'child.tac': asks },
    );
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: 12 } });
    const child = server.tactus.attach(`${run.runId}/0.0.0`);
    await pendingOf(child);
    await waitUntil(async () => (await historiesOf(server.client, run.runId)).length > 1);
    await child.handle.terminate('by hand');
    expect(await run.result()).toEqual([{ ok: false }, 1]);
  });

  it('is cancelled when its branch was given up at the very end', async () => {
    const source = procedureSource(
      `Procedure { function()
        pcall(function()
          Parallel{
            function() return Procedure.run("child.tac", { what = "it" }) end,
            function() Sleep(1) error("no") end,
          }
        end)
        return 1
      end }`,
      { 'child.tac': asks },
    );
    const run = await server.tactus.start(source);
    expect(await run.result()).toBe(1);
    const child = server.tactus.attach(`${run.runId}/0.0.0`);
    await expect(child.result()).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('reports once: what was taken is not carried on, and junk is no report', async () => {
    const source = procedureSource(
      `Procedure { function()
        local total = 0
        for i = 1, 4 do total = total + Procedure.run("child.tac", { n = i }).n Sleep(0.001) end
        return total
      end }`,
      { 'child.tac': 'Procedure { function(input) return { n = input.n } end }' },
    );
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: 12 } });
    await run.handle.signal('tactus_child_closed');
    await run.handle.signal('tactus_child_closed', { position: '0', outcome: 7 });
    expect(await run.result()).toBe(10);
    const histories = await historiesOf(server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    expect(failedTasks(histories)).toEqual([]);
    for (const { events } of histories.slice(1)) {
      const [start] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      const { carry } = JSON.parse(new TextDecoder().decode(start?.data ?? undefined)) as StartInput;
      expect(carry?.childOutcomes).toEqual({});
    }
  });
});
