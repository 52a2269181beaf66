import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HoldChange, HoldView } from '../../../src/contract/changes/hold.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startDevServer, startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** The workflow that keeps the holds of a namespace. */

const around = serverWithProvider();
const registryId = 'tactus-holds';
/** Orders of one of its executions. */
const mostOrders = 200;

const one = procedureSource(`
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
  Procedure { function() return writer("Write").output end }`);

beforeEach(() => {
  around.provider.reply(() => ({ text: 'done' }));
});

const registryOf = ({ client }: TestServer) => client.workflow.getHandle(registryId);

/** Sends an order as a client does, without its wait until all workers have read it. */
function order(
  server: TestServer,
  change: Partial<HoldChange>,
  updateId: string = randomUUID(),
): Promise<HoldView[]> {
  return registryOf(server).executeUpdate<HoldView[], [Partial<HoldChange>]>('tactus_hold', {
    ...{ args: [change], updateId },
  });
}

/** When a run was told that calls of it may begin, in ms since 1970. */
async function whenReleased(server: TestServer, { runId }: TactusRun): Promise<number[]> {
  const histories = await historiesOf(server.client, runId);
  return histories
    .flatMap(({ events }) => events ?? [])
    .filter((each) => each.workflowExecutionSignaledEventAttributes?.signalName === 'tactus_released')
    .map(({ eventTime: at }) => Number(at?.seconds) * 1_000 + Number(at?.nanos) / 1e6);
}

describe('the workflow of holds', () => {
  let worker: TestWorker;
  beforeEach(async () => {
    worker = await startWorker(around.server, { activities: { env: around.env } });
  });
  afterEach(async () => {
    await worker.stop();
  });

  it('continues as new with its holds, with who waits, with the rate of a release, and with the orders that it has done', async () => {
    const { server } = around;
    const { holds } = server.tactus;
    const listed = () => holds.list();
    const start = (): Promise<TactusRun> => server.tactus.start(one);
    const question = 'Procedure { function() return Human.input("Name?") end }';
    await holds.add('provider:openai', { reason: 'down', by: 'ann' });
    await holds.add('procedure:asks', { reason: 'to be looked at', by: 'bob' });
    const asks = await server.tactus.start({ entry: 'asks.tac', files: { 'asks.tac': question } });
    const runs = [await start(), await start(), await start(), await start()];
    const waiting = async (): Promise<number[]> => (await listed()).map((hold) => hold.waiting);
    await waitUntil(async () => JSON.stringify(await waiting()) === '[4,1]');

    const add = { kind: 'add', target: 'queue:none', reason: 'again' } as const;
    for (let orders = 2; orders < mostOrders - 2; orders++) await order(server, add);
    expect(await historiesOf(server.client, registryId)).toHaveLength(1);
    await order(server, { kind: 'release', target: 'provider:openai', rate: 0.5 });
    const released = await order(server, { kind: 'release', target: 'queue:none' }, 'last');
    await waitUntil(async () => (await historiesOf(server.client, registryId)).length === 2);
    // It is handed over in the memo, too: there is no moment in which nothing is held.
    expect(released).toMatchObject([
      { target: 'provider:openai', rate: 0.5, waiting: 4 },
      { target: 'procedure:asks', by: 'bob', waiting: 1 },
    ]);
    expect(await listed()).toEqual(released);

    // The last order, once more: its client has heard nothing. What it released is held again by now.
    await order(server, add);
    expect(await order(server, { kind: 'release', target: 'queue:none' }, 'last')).toHaveLength(3);
    expect(await listed()).toMatchObject([{}, {}, { target: 'queue:none' }]);

    for (const run of runs) expect(await run.result()).toBe('done');
    const times = await Promise.all(runs.map((run) => whenReleased(server, run)));
    expect(times.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    const [first = 0, ...others] = times.flat().toSorted((a, b) => a - b);
    expect(others.every((time, i) => time - ([first, ...others][i] ?? 0) > 1_900)).toBe(true);
    expect(around.provider.requests).toHaveLength(4);
    await waitUntil(async () => (await listed()).length === 2);

    expect(await asks.pending()).toEqual([]);
    await holds.release('procedure:asks');
    await waitUntil(async () => (await asks.pending()).length === 1);
    await asks.cancel();
    await holds.release('queue:none');
    expect(failedTasks(await historiesOf(server.client, registryId))).toEqual([]);
    expect(await replayRun(server.client, { runId: registryId })).toEqual([]);
  });
});

describe('who waits', () => {
  /** What a call among those that wait is counted for, and all of them, in bytes. */
  const bytes = { call: 1_000, all: 1_000_000 };
  const mostCalls = bytes.all / bytes.call;
  const callsOfRun = 20;

  /** The positions of a run that there isn't: nothing of it has to wait here. `letter`: what they are made of. */
  const positionsOf = (run: string, letter: string): string[] => {
    const room = bytes.call - run.length - 40 - 4;
    const size = Buffer.byteLength(letter);
    const text = letter.repeat(Math.floor(room / size)) + ' '.repeat(room % size);
    return Array.from({ length: callsOfRun }, (_, i) => `${text}${1_000 + i}`);
  };
  const nobody = (i: number): string => `nobody-${100 + i}`;

  async function fill(server: TestServer, runs: number, letter = 'x'): Promise<void> {
    const { memo } = await registryOf(server).describe();
    const { id } = (memo as { tactus_holds: { holds: [{ id: string }] } }).tactus_holds.holds[0];
    for (let i = 0; i < runs; i++) {
      const waits = [{ hold: id, positions: positionsOf(nobody(i), letter) }];
      await registryOf(server).signal('tactus_held', { run: nobody(i), waits, gone: [] });
    }
  }
  const waitingOn = async ({ tactus }: TestServer): Promise<number> =>
    (await tactus.holds.list())[0]?.waiting ?? -1;

  it('is bounded in bytes, so that the next execution can be given all of it', async () => {
    const { server } = around;
    const worker = await startWorker(server);
    await server.tactus.holds.add('provider:openai', { reason: 'down' });
    try {
      await fill(server, (3 * mostCalls) / callsOfRun, '界');
      await waitUntil(async () => (await waitingOn(server)) === mostCalls);
      for (let orders = 1; orders < mostOrders; orders++)
        await order(server, { kind: 'add', target: 'provider:openai', reason: 'again' });
      await waitUntil(async () => (await historiesOf(server.client, registryId)).length > 1);
      await order(server, { kind: 'add', target: 'queue:none', reason: 'again' });
      expect(await waitingOn(server)).toBe(mostCalls);
      expect(failedTasks(await historiesOf(server.client, registryId))).toEqual([]);
    } finally {
      await registryOf(server).terminate();
      await worker.stop();
    }
  });

  it('is released over several executions where one history is too short for it, and each is told once', async () => {
    const suggested = 40;
    const extraArgs = ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${suggested}`];
    const server = await startDevServer({ extraArgs });
    const worker = await startWorker(server);
    try {
      await server.tactus.holds.add('provider:openai', { reason: 'down' });
      await server.tactus.holds.add('provider:groq', { reason: 'down' });
      await fill(server, 50);
      await waitUntil(async () => (await waitingOn(server)) === 50 * callsOfRun);
      await server.tactus.holds.release('provider:openai');
      const told = await waitUntil(async () => {
        const calls = toldIn(await historiesOf(server.client, registryId));
        return calls.length >= 50 * callsOfRun && calls;
      });
      expect(new Set(told).size).toBe(50 * callsOfRun);
      expect(told).toHaveLength(50 * callsOfRun);
      const histories = await historiesOf(server.client, registryId);
      const releasing = histories.filter((history) => toldIn([history]).length > 0);
      expect(releasing.length).toBeGreaterThan(1);
      for (const { events } of releasing) expect(events?.length).toBeLessThan(2 * suggested);
      expect(await server.tactus.holds.list()).toMatchObject([{ target: 'provider:groq', waiting: 0 }]);
      expect(await replayRun(server.client, { runId: registryId })).toEqual([]);
    } finally {
      await worker.stop();
      await server.stop();
    }
  });

  it('is not counted where there is no room, is released all the same, and makes its call once', async () => {
    const server = await startTimeSkippingServer();
    const worker = await startWorker(server, { activities: { env: around.env } });
    const { holds } = server.tactus;
    try {
      await holds.add('provider:openai', { reason: 'down' });
      await fill(server, mostCalls / callsOfRun);
      await waitUntil(async () => (await waitingOn(server)) === mostCalls);
      const run = await server.tactus.start(one);
      await waitUntil(async () => (await run.status()).held?.[0]?.waiting === 1);
      await waitUntil(async () => heardOf(await historiesOf(server.client, registryId), run.runId));
      expect(await waitingOn(server)).toBe(mostCalls);
      // What one of them leaves is room for others.
      const gone = positionsOf(nobody(0), 'x');
      await registryOf(server).signal('tactus_held', { run: nobody(0), waits: [], gone });
      await waitUntil(async () => (await waitingOn(server)) === mostCalls - callsOfRun);

      await holds.release('provider:openai');
      expect(await whenReleased(server, run)).toEqual([]);
      expect(await run.result()).toBe('done');
      expect(await whenReleased(server, run)).toHaveLength(1);
      expect(around.provider.requests).toHaveLength(1);
    } finally {
      await worker.stop();
      await server.stop();
    }
  });

  /** Which calls of which runs were let go. */
  const toldIn = (histories: readonly History[]): string[] =>
    histories
      .flatMap(({ events }) => events ?? [])
      .flatMap(({ signalExternalWorkflowExecutionInitiatedEventAttributes: told }) => {
        const data = told?.input?.payloads?.[0]?.data;
        if (data == null) return [];
        const { positions } = JSON.parse(Buffer.from(data).toString()) as { positions: string[] };
        return positions.map((position) => `${told?.workflowExecution?.workflowId} ${position}`);
      });

  const heardOf = (histories: readonly History[], runId: string): boolean =>
    histories
      .flatMap(({ events }) => events ?? [])
      .some(({ workflowExecutionSignaledEventAttributes: signaled }) =>
        Buffer.from(signaled?.input?.payloads?.[0]?.data ?? []).includes(`"run":"${runId}"`),
      );
});
