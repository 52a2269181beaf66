import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import { failedTasks } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { resetRun, type ResetOptions } from '../../support/reset-run.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);

/** The run goes on anew behind its first workflow task. */
const reset = (run: TactusRun, options?: ResetOptions): Promise<string> =>
  resetRun(server.client, run.runId, options);

async function expectSound(run: TactusRun): Promise<void> {
  const { runId } = await run.handle.describe();
  const history = await server.client.workflow.getHandle(run.runId, runId).fetchHistory();
  // The reset itself is one.
  expect(failedTasks([history]).length).toBeLessThanOrEqual(1);
  expect(await replayHistories([{ workflowId: run.runId, history }])).toEqual([]);
}

const child = 'Procedure { function(input) return { got = tostring(Human.approve("child?")) } end }';
const parent = (call: string) =>
  procedureSource(
    `Procedure { function()
      local r = ${call}
      local ok = Human.approve("parent after " .. r.got .. "?")
      return { r = r.got, ok = ok }
    end }`,
    { 'child.tac': child },
  );

const asked = (run: TactusRun): Promise<HumanRequest> =>
  waitUntil(async () => (await run.pending().catch(() => []))[0] ?? null, 20_000);

const calls = [
  ['Procedure.run', 'Procedure.run("child.tac", {})'],
  ['Procedure.spawn', 'Procedure.wait(Procedure.spawn("child.tac", {}))'],
];

describe.each(calls)('a run that is reset, with a child by %s', (_how, call) => {
  it('that goes on, takes it over', async () => {
    const run = await server.tactus.start(parent(call));
    const below = server.tactus.attach(`${run.runId}/0`);
    const before = await asked(below);
    await reset(run);
    await waitUntil(async () => (await run.status()).children.includes(below.runId));
    expect((await asked(below)).created_at).toBe(before.created_at);
    await below.decide({ request: before.id, value: true });
    const [request] = await pendingOf(run);
    expect(request?.message).toBe('parent after true?');
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ r: 'true', ok: true });
    await expectSound(run);
  });

  it('that has ended, has it run again, and hears of no other end than its', async () => {
    const run = await server.tactus.start(parent(call));
    const below = server.tactus.attach(`${run.runId}/0`);
    await below.decide({ request: (await asked(below)).id, value: true });
    await pendingOf(run);
    await reset(run);
    const again = await asked(below);
    expect((await run.status()).pending).toEqual([]);
    await below.decide({ request: again.id, value: false });
    expect((await asked(run)).message).toBe('parent after false?');
    await run.decide({ request: (await asked(run)).id, value: true });
    expect(await run.result()).toEqual({ r: 'false', ok: true });
    await expectSound(run);
  });

  it('hears of a child that was reset itself', async () => {
    const run = await server.tactus.start(parent(call));
    const below = server.tactus.attach(`${run.runId}/0`);
    await asked(below);
    await reset(below);
    await below.decide({ request: (await asked(below)).id, value: true });
    expect((await asked(run)).message).toBe('parent after true?');
    await run.terminate();
  });
});

it('a workflow of somebody else at the place of a child is no child', async () => {
  const runId = `taken-${randomUUID()}`;
  const other = await server.tactus.start(
    procedureOf('return Human.approve("other?")'),
    {},
    { runId: `${runId}/0` },
  );
  const run = await server.tactus.start(parent(calls[0]?.[1] ?? ''), {}, { runId });
  await expect(run.result()).rejects.toMatchObject({ code: 'child_failed' });
  expect(await other.pending()).toHaveLength(1);
  await other.terminate();
});

it('a run that was reset is one run in lists, and what it asks is shown, by the index too', async () => {
  const index = await openRunIndex(':memory:');
  const { client } = server;
  const tactus = new TactusClient(client, { index });
  const run = await tactus.start(procedureOf('return Human.approve("Go on?")'));
  const [request] = await pendingOf(run);
  await reset(run);
  await asked(run);
  const mine = { prefix: run.runId, limit: 10 };
  const wanted = [{ run_id: run.runId, status: 'waiting_for_human' }];
  // The server's list lags a moment behind.
  await waitUntil(async () => {
    const { runs } = await server.tactus.list(mine);
    return runs.length === 1 && runs[0]?.status === 'waiting_for_human';
  });
  expect((await server.tactus.list(mine)).runs).toMatchObject(wanted);
  for (let times = 0; times < 3; times++) {
    expect((await tactus.list(mine)).runs).toMatchObject([{ run_id: run.runId }]);
    const { requests } = await tactus.openRequests({ limit: 10 });
    expect(requests.map(({ id }) => id)).toContain(request?.id);
  }
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(true);
  await waitUntil(async () => (await tactus.list(mine)).runs[0]?.status === 'completed', 20_000);
});

describe('a decision without a digest, on a request that was open before a reset and is not now', () => {
  /** Asks Ann, after an event, what her own event says. */
  const source = procedureOf(
    'local what = Event.wait("what") return Human.approve(what .. "?", { approvers = { "ann" } })',
  );
  const closed = { outcome: 'unknown', message: expect.stringContaining("isn't open") as string };

  /** A run that was reset behind its request, without what was sent to it. */
  async function resetBehind(): Promise<{ run: TactusRun; id: string }> {
    const run = await server.tactus.start(source);
    const waits = (): Promise<unknown> =>
      waitUntil(async () => (await run.status()).waits.some(({ kind }) => kind === 'event'));
    await waits();
    await run.send('what', 'Pay');
    const { id } = await asked(run);
    await reset(run, { reapply: false });
    await waits();
    return { run, id };
  }

  it('is bound to what its client was shown, and counts when the same is asked again', async () => {
    const { run, id } = await resetBehind();
    // It is the client that knows, whatever handle of the run it was read by.
    const verdict = await server.tactus.decide({ request: id, value: true, by: 'ann' });
    expect(verdict.outcome).toBe('early');
    await run.send('what', 'Pay');
    expect(await run.result()).toBe(true);
    const [, entry] = (await run.log()).execution_log;
    expect(entry?.result).not.toHaveProperty('early');
  });

  it('is not taken for something else that is asked there then', async () => {
    const { run, id } = await resetBehind();
    expect((await run.decide({ request: id, value: true, by: 'ann' })).outcome).toBe('early');
    await run.send('what', 'Pay twice');
    expect((await asked(run)).message).toBe('Pay twice?');
    await run.decide({ request: id, value: false, by: 'ann' });
    expect(await run.result()).toBe(false);
  });

  it('is refused where the client was shown nothing, though others were', async () => {
    const { run, id } = await resetBehind();
    const other = new TactusClient(server.client);
    expect(await other.decide({ request: id, value: true, by: 'ann' })).toMatchObject(closed);
    await run.send('what', 'Pay');
    expect((await asked(run)).id).toBe(id);
    expect((await other.decide({ request: id, value: true, by: 'ann' })).outcome).toBe('accepted');
    expect(await run.result()).toBe(true);
  });

  it('is refused where its request was never open', async () => {
    const run = await server.tactus.start(
      procedureOf('Human.approve("One?") Event.wait("go") return Human.approve("Two?")'),
    );
    const { id } = await asked(run);
    await run.decide({ request: id, value: true });
    expect(await run.decide({ request: `${run.runId}/2`, value: true })).toMatchObject(closed);
    await run.terminate();
  });
});
