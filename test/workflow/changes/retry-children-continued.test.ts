import { expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { expectReplays } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { waitUntil } from '../../support/wait-until.js';
import { agents, approve, rewinding } from './rewinding.js';

const { around, attach, calls } = rewinding();

const limits = { historyEvents: 10 };
/** Whatever does this continues as new on the way. */
const long = 'for i = 1, 8 do Sleep(0.001) end';
const files = (no: string): Record<string, string> => ({
  'child.tac': `${agents}Procedure { function(input)
    ${long}
    local said = writer("One").output
    if not Human.approve("Good?") then ${no} end
    ${long}
    return said
  end }`,
});
const failing = files('error("nobody likes it")');
const mended = files('checkpoint(function() return "mended" end)');

/** So many executions followed each other up to the newest. */
const executions = async (run: TactusRun): Promise<number> =>
  (await historiesOf(around.server.client, run.runId)).length;

async function expectSound(run: TactusRun): Promise<void> {
  expect(failedTasks(await historiesOf(around.server.client, run.runId))).toEqual([]);
  await expectReplays(around.server.tactus, run.runId);
}

it('a child run that has continued as new goes on from its own log, and continues as new again', async () => {
  const body = `${long} local id = Procedure.spawn("child.tac", {}) ${long} return Procedure.wait(id)`;
  const run = await around.server.tactus.start(procedureOf(body, failing), {}, { limits });
  const of = attach(`${run.runId}/8`);
  await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 1);
  const paid = calls();
  expect(await executions(of)).toBeGreaterThan(1);
  await approve(of, false);
  await expect(run.result()).rejects.toThrow('nobody likes it');
  expect(await executions(run)).toBeGreaterThan(2);
  const source = procedureOf(body, mended);
  const { plan } = await readRetry(run, { source });
  expect(plan.children).toEqual([{ run_id: of.runId, becomes: 'adopted' }]);
  expect(plan.again.filter(({ effect }) => effect === 'model')).toEqual([]);
  await around.server.tactus.retry(run.runId, { source });
  expect(await run.result()).toMatch(/^said \d$/);
  expect(await executions(of)).toBeGreaterThan(1);
  expect(calls()).toBe(paid);
  const { memo } = await of.handle.describe();
  expect(memo?.['parent']).toBe(run.runId);
  await expectSound(run);
  await expectSound(of);
});

it('a run that waits for child runs which went on hears of their ends while it continues as new', async () => {
  const child = (no: string): Record<string, string> => ({
    'child.tac': `Procedure { input = { n = field.number {} }, function(input)
      if not Human.approve("Good?") then ${no} end
      Sleep(0.5 * input.n)
      return input.n
    end }`,
  });
  const body = `
    local calls = {}
    for n = 1, 5 do
      calls[n] = function() return Procedure.run("child.tac", { n = n }) end
    end
    calls[6] = function()
      if not Human.approve("Fail?") then error("as wanted") end
      for i = 1, 20 do Sleep(0.01) end
      return 6
    end
    return Parallel(calls)`;
  const run = await around.server.tactus.start(procedureOf(body, child('error("no")')), {}, { limits });
  await waitUntil(async () => (await around.server.tactus.pending(run.runId)).length === 6);
  const first = attach(`${run.runId}/0.0.0`);
  await approve(first, false);
  await expect(run.result()).rejects.toThrow('no');
  const ids = Array.from({ length: 5 }, (_, n) => `${run.runId}/0.${n}.0`);
  await waitUntil(async () => {
    const ends = await Promise.all(ids.map((id) => attach(id).handle.describe()));
    return ends.every(({ status }) => status.name !== 'RUNNING');
  });
  const source = procedureOf(body, child('Sleep(0.001)'));
  const { plan } = await readRetry(run, { source });
  expect(plan.children.map(({ becomes }) => becomes)).toEqual(ids.map(() => 'adopted'));
  await around.server.tactus.retry(run.runId, { source });
  await pendingOf(run);
  for (const id of ids.slice(1)) await approve(attach(id));
  await approve(run);
  expect(await run.result()).toEqual(Array.from({ length: 6 }, (_, n) => n + 1));
  expect(await executions(run)).toBeGreaterThan(3);
  await expectSound(run);
});
