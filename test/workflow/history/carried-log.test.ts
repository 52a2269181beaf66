import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../src/contract/checkpoints/checkpoint.js';
import { newestEngine } from '../../../src/contract/engine.js';
import { openRequest } from '../../../src/contract/people/ledger.js';
import { defaultTaskQueue, workflowType } from '../../../src/contract/names.js';
import { newCarry, type Carry } from '../../../src/contract/runs/start-input.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { runFake } from '../../support/fake-host.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const main = `Procedure { function()
  local first = checkpoint(function() return 1 end)
  local name = step("name", function() return File.read("name.txt") end)
  local ok = Human.approve("Go on with " .. name .. "?")
  return { first = first, name = name, ok = ok }
end }`;

const recorded = runFake(main).program.log.entries;

const server = serverWithWorker(startDevServer);

let count = 0;

/** Starts a run with a log, as one does that continues as new. */
async function startWith(log: readonly Checkpoint[], carry?: Carry) {
  const workflowId = `carried-${++count}`;
  await server.client.workflow.start(workflowType, {
    args: [
      {
        source: { entry: 'main.tac', files: { 'main.tac': main } },
        ...(carry === undefined ? {} : { carry }),
      },
      gzipSync(JSON.stringify(log)),
    ],
    workflowId,
    taskQueue: defaultTaskQueue,
  });
  return server.tactus.attach(workflowId);
}

/** The log with one entry changed. */
function edited(index: number, change: (entry: Checkpoint) => Partial<Checkpoint>): Checkpoint[] {
  return recorded.map((entry, i) => (i === index ? { ...entry, ...change(entry) } : entry));
}

describe('a run that is started with a log', () => {
  it('takes its answers and performs nothing again', async () => {
    const run = await startWith(recorded);
    expect(await run.result()).toEqual({ first: 1, name: 'content of name.txt', ok: true });
    const [history] = await historiesOf(server.client, run.runId);
    const markers = history?.events?.flatMap(
      ({ markerRecordedEventAttributes: marker }) => marker?.markerName ?? [],
    );
    expect(markers).toEqual(['core_patch']); // which engine it runs on
  });

  it.each([
    { what: 'another name', log: edited(1, () => ({ name: 'read other.txt' })) },
    { what: 'another type', log: edited(0, () => ({ type: 'step' })) },
    { what: 'other arguments', log: edited(1, () => ({ digest: 'of something else' })) },
    { what: 'another position', log: edited(1, () => ({ position: '1.7' })) },
    { what: 'a checkpoint too many', log: [...recorded, { ...(recorded[0] as Checkpoint), position: '9' }] },
    {
      what: 'a failure where there was a success',
      log: edited(0, () => ({ outcome: { ok: false, code: 'lua_error', message: 'no' } })),
    },
  ])('that has $what ends with both sides in the error', async ({ log }) => {
    const run = await startWith(log);
    const error: unknown = await run.result().catch((each: unknown) => each);
    expect(error).toMatchObject({
      code: 'non_determinism',
      message: expect.stringMatching(/^NonDeterminismError at position /) as string,
    });
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  });

  it.each([
    { what: 'a log', carry: {}, log: edited(1, ({ digest }) => ({ digest: `9:${digest}` })) },
    { what: 'all', carry: { engine: newestEngine + 1, unheardOf: {} }, log: [] },
  ])('that has $what from a newer version waits for a worker that knows it', async ({ carry, log }) => {
    const run = await startWith(log, { ...newCarry('r', 'e', 0), ...carry });
    await waitUntil(async () => failedTasks(await historiesOf(server.client, run.runId)).length > 0);
    expect(failedTasks(await historiesOf(server.client, run.runId))[0]).toMatch(
      /has version \d+, and this worker knows none after \d+: a newer version of tactus-temporal wrote it/,
    );
    expect((await run.handle.describe()).status.name).toBe('RUNNING');
    await run.handle.terminate();
  });

  it('withdraws requests that it no longer asks, and says so', async () => {
    const workflowId = `carried-${count + 1}`;
    const carry = newCarry(workflowId, 'first', Date.now());
    const asked = openRequest(
      carry.ledger,
      {
        ...{ id: `${workflowId}/9`, run_id: workflowId, position: '9', kind: 'approval' },
        ...{ message: 'Who asks that?', context: null, options: [], default: false, deadline: null },
        ...{ created_at: new Date(0).toISOString(), approvers: [], digest: 'none' },
      },
      Date.now(),
      () => true,
    ).ledger;
    const run = await startWith(recorded.slice(0, 3), { ...carry, engine: newestEngine, ledger: asked });
    const pending = await waitUntil(async () => {
      const found = await run.pending();
      return found.length === 1 && found[0]?.message.startsWith('Go on') ? found : null;
    });
    await expect(run.decide({ request: `${workflowId}/9`, value: true })).resolves.toMatchObject({
      outcome: 'late',
      message: expect.stringContaining('the request was withdrawn') as string,
    });
    await run.decide({ request: pending[0]?.id ?? '', value: true });
    expect(await run.result()).toMatchObject({ ok: true });
  });

  it('with another answer in it goes on from that', async () => {
    const run = await startWith(edited(0, () => ({ outcome: { ok: true, value: 42 } })));
    expect(await run.result()).toMatchObject({ first: 42 });
  });
});
