import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { startChildWorker } from '../support/child-worker.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';
import { expectSweep } from './expect-sweep.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));

/** So long lives a worker of the workflow that keeps the holds, in ms. */
const lifeMs = 2_000;
/** So long is held each time. */
const heldMs = 300;

const { PENDING_ACTIVITY_STATE_STARTED: started } = proto.temporal.api.enums.v1.PendingActivityState;

let server: TestServer;
let provider: ProviderStandIn;
/** When the provider was asked for a run, by the run's id. */
const asked = new Map<string, number[]>();
const over = new AbortController();
let registry: Promise<void>;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply((request) => {
    const [runId = ''] = /held_\w+/.exec(JSON.stringify(request.body)) ?? [];
    asked.set(runId, [...(asked.get(runId) ?? []), Date.now()]);
    return answerByRequest(request);
  });
  registry = killRegistryWorkers();
});
afterAll(async () => {
  over.abort();
  await registry;
  await provider.close();
  await server.stop();
});

/** One worker after the other, each killed. */
async function killRegistryWorkers(): Promise<void> {
  while (!over.signal.aborted) {
    const worker = await startChildWorker({
      ...{ address: server.env.address, taskQueue: 'tactus', filesRoot: temporaryFolder('holds') },
    });
    await delay(lifeMs);
    await worker.kill();
  }
}

interface Held {
  from: number;
  to: number;
}

/** Whether a worker is at a call that it has begun before: such a call isn't held. */
async function isUnderWay(runId: string, before: number): Promise<boolean> {
  const { raw } = await server.client.workflow.getHandle(runId).describe();
  return (raw.pendingActivities ?? []).some(({ state, lastStartedTime: at }) => {
    if (state !== started) return false;
    const startedAt = Number(at?.seconds ?? Infinity) * 1_000 + Number(at?.nanos ?? 0) / 1e6;
    return startedAt <= before;
  });
}

async function isHeld(runId: string): Promise<boolean> {
  const { held = [], closed_at: closedAt } = await server.tactus.attach(runId).status();
  return held.length > 0 || closedAt !== null;
}

/** Holds all that goes to the task queue of a run, and releases it, again and again. Gives when nothing may have begun. */
async function holdAgainAndAgain(queue: string, signal: AbortSignal): Promise<Held[]> {
  const { holds } = server.tactus;
  const target = `queue:${queue}`;
  const times: Held[] = [];
  while (!signal.aborted) {
    try {
      await holds.add(target, { reason: 'again', by: 'ann' });
      const since = Date.now();
      // However fast it is, it is held some times, and goes on while it is.
      if (times.length > 1) {
        await server.tactus.decide({ request: `${queue}/2`, value: true, id: 'approved' });
        await waitUntil(() => isHeld(queue), 5_000);
      }
      let from = Infinity;
      while (Date.now() < since + heldMs) {
        await delay(20);
        if (from === Infinity && !(await isUnderWay(queue, since))) from = Date.now();
      }
      times.push({ from, to: Date.now() });
      await holds.release(target);
    } catch {
      // No worker lives now, or the run has ended.
    }
    await delay(200);
  }
  await holds.release(target).catch(() => undefined);
  return times;
}

async function run(killAt: number | undefined, runId: string): Promise<SweepOutcome & { times: Held[] }> {
  let times: Held[] = [];
  const outcome = await sweepRun(server, {
    runId,
    source: await collectSource(folder, 'order-answer.tac'),
    input: { order: runId },
    filesRoot: temporaryFolder('held'),
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
    request: null,
    answering: async (signal) => void (times = await holdAgainAndAgain(runId, signal)),
    ...(killAt === undefined ? {} : { killAt }),
  });
  return { ...outcome, times };
}

/** Calls of the provider while it was held. */
const askedWhileHeld = (runId: string, times: readonly Held[]): number[] =>
  (asked.get(runId) ?? []).filter((at) => times.some((held) => held.from < at && at < held.to));

it('a run whose calls are held again and again loses nothing, asks nothing twice, and nothing while they are held', async () => {
  await expectSweep({
    ...{ name: 'held', every: 12, atOnce: 3, run },
    nameOf: (name) => name.replace(/held_\w+/, ''),
    expectUndisturbed: (outcome, runId) => {
      expect(outcome.times.length).toBeGreaterThan(2);
      expect(askedWhileHeld(runId, outcome.times)).toEqual([]);
      expect(
        outcome.histories.flatMap(({ events }) => events ?? []).filter(isReleased).length,
      ).toBeGreaterThan(0);
    },
    expectRight: (outcome, runId) => {
      expect(outcome.view.status, runId).toBe('completed');
      expect(askedWhileHeld(runId, outcome.times), runId).toEqual([]);
      // Of a worker that dies when the model has answered, both answers were paid for.
      const calls = asked.get('held_undisturbed')?.length ?? 0;
      expect(asked.get(runId)?.length, runId).toBeLessThanOrEqual(calls + 1);
    },
  });
}, 900_000);

const isReleased = (event: {
  workflowExecutionSignaledEventAttributes?: { signalName?: string | null } | null;
}) => event.workflowExecutionSignaledEventAttributes?.signalName === 'tactus_released';
