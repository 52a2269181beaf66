import { expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import { expectReplays } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { waitUntil } from '../../support/wait-until.js';
import { agents, approve, executionOf, rewinding } from './rewinding.js';

const { around, start, attach, calls } = rewinding();

const called = 'return Procedure.run("child.tac", {})';
const spawned = 'local id = Procedure.spawn("child.tac", {}) return Procedure.wait(id)';
/** Fails as long as nobody says yes. */
const child = `${agents}Procedure { function(input)
  local said = writer("One").output
  if not Human.approve("Good?") then error("nobody likes it") end
  return said .. (Human.approve("Sure?") and ", sure" or "")
end }`;
const mended = child.replace('error("nobody likes it")', 'checkpoint(function() end)');

/** A parent that failed by its child run, which goes on by itself since. `paid`: how often the provider was asked by then. */
async function triedAgainAlone(body: string) {
  const run = await start(procedureOf(body, { 'child.tac': child }));
  const of = attach(`${run.runId}/0`);
  await pendingOf(of);
  const paid = calls();
  await approve(of, false);
  await expect(run.result()).rejects.toThrow('nobody likes it');
  await waitUntil(async () => (await of.handle.describe()).status.name === 'FAILED');
  await around.server.tactus.retry(of.runId, {
    source: { entry: 'child.tac', files: { 'child.tac': mended } },
  });
  return { run, of, paid };
}

it.each([
  ['called', called, '0'],
  ['spawned', spawned, '1'],
])(
  'a child run that was %s, and goes on by itself since it has failed, is taken over by its parent',
  async (_, body, at) => {
    const { run, of, paid } = await triedAgainAlone(body);
    await pendingOf(of);
    const execution = await executionOf(of);
    const retry = await readRetry(run);
    expect(retry).toMatchObject({ at, children: [] });
    expect(retry.plan.children).toEqual([{ run_id: of.runId, becomes: 'adopted' }]);
    expect(retry.plan.again.filter(({ repeats }) => repeats)).toEqual([]);
    await around.server.tactus.startFork(retry);
    await waitUntil(async () => (await run.status()).children.length === 1);
    await approve(of);
    expect(await run.result()).toMatch(/^said \d, sure$/);
    expect(await executionOf(of)).toBe(execution);
    expect(calls()).toBe(paid);
    await expectReplays(around.server.tactus, run.runId);
  },
);

it('a parent that failed by a child run which has ended well by itself since goes on with what that gave', async () => {
  const { run, of, paid } = await triedAgainAlone(spawned);
  await approve(of);
  await of.result();
  const { plan, at } = await readRetry(run);
  expect(at).toBe('1');
  expect(plan.children).toEqual([{ run_id: of.runId, becomes: 'adopted' }]);
  await around.server.tactus.retry(run.runId);
  expect(await run.result()).toMatch(/^said \d, sure$/);
  expect(calls()).toBe(paid);
});

it('a child run of whose failure the procedure has heard goes on by itself, and outlives its parent', async () => {
  const body = (last: string): string => `
    local id = Procedure.spawn("child.tac", {})
    pcall(Procedure.wait, id)
    ${last}
    return "went on"`;
  const run = await start(procedureOf(body('error("as wanted")'), { 'child.tac': child }));
  const of = attach(`${run.runId}/0`);
  await pendingOf(of);
  await approve(of, false);
  await expect(run.result()).rejects.toThrow('as wanted');
  await around.server.tactus.retry(of.runId, {
    source: { entry: 'child.tac', files: { 'child.tac': mended } },
  });
  await pendingOf(of);
  const source = procedureOf(body('Sleep(0.001)'), { 'child.tac': child });
  const { plan } = await readRetry(run, { source });
  expect(plan.children).toEqual([{ run_id: of.runId, becomes: 'kept' }]);
  await around.server.tactus.retry(run.runId, { source });
  expect(await run.result()).toBe('went on');
  await approve(of);
  expect(await of.result()).toMatch(/^said \d, sure$/);
});
