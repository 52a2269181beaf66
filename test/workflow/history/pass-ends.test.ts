import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signDecision } from '../../../src/authority/signed-decisions.js';
import { generateKey, signingKeyOfPem } from '../../../src/authority/signature.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { queryNames, signalNames } from '../../../src/contract/names.js';
import type { Decision, Verdict } from '../../../src/contract/people/decision.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { withPayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { aesCodec } from '../../support/aes-codec.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { resetRun } from '../../support/reset-run.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { startDevServer, startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** What meets the end of a pass: resets, the ends of requests, signatures, and what keeps payloads elsewhere. */

const { ed25519, privatePem } = generateKey();
const key = signingKeyOfPem('k1', privatePem);
const authorityKeys = { k1: { ed25519 } };
const storage = new MemoryStorage();

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  worker = await startWorker(server, { activities: { authorityKeys }, storage });
});
afterEach(() => worker.stop());

/** What `work` sends arrives while no worker is there: the next one finds all of it in one workflow task. */
async function atOnce(work: () => Promise<unknown>): Promise<void> {
  await worker.stop();
  await work();
  worker = await startWorker(server, { activities: { authorityKeys }, storage });
}

const executionsOf = (run: TactusRun, { client } = server) =>
  soundExecutions(client, run, { wasReset: true });

function executionId(histories: readonly History[], execution: number): string {
  const started = histories[execution]?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return started?.originalExecutionRunId ?? '';
}

function requestAt(run: TactusRun, position: number): Promise<HumanRequest> {
  return waitUntil(async () => {
    const { pending } = await run.status();
    return pending.find(({ id }) => id === `${run.runId}/${position}`) ?? false;
  });
}

async function answerAt(run: TactusRun, position: number, value: string | boolean): Promise<void> {
  const { id } = await requestAt(run, position);
  expect(await run.decide({ request: id, value })).toMatchObject({ outcome: 'accepted' });
}

function signal(run: TactusRun, decision: Decision): Promise<void> {
  return run.handle.signal(signalNames.decide, decision);
}

function verdictOn(run: TactusRun, id: string): Promise<Verdict> {
  return waitUntil(() => run.handle.query<Verdict | null, [string]>(queryNames.verdict, id));
}

/** Four passes, each with a question at 0, 2, 4 and 6. */
const words = procedureOf(`
  state.words = state.words or {}
  table.insert(state.words, Human.input("Word " .. #state.words + 1 .. "?"))
  if #state.words < 4 then Procedure.continue_as_new() end
  return state.words`);

describe('a run of passes that is reset', () => {
  async function runOfThree(): Promise<{ run: TactusRun; histories: History[] }> {
    const run = await server.tactus.start(words);
    await answerAt(run, 0, 'a');
    await answerAt(run, 2, 'b');
    await requestAt(run, 4);
    return { run, histories: await historiesOf(server.client, run.runId) };
  }

  /** One entry for each pass, in the run's log and in the mirror. */
  async function expectWords(run: TactusRun, expected: string[]): Promise<void> {
    expect(await run.result()).toEqual(expected);
    const { execution_log: log } = await run.log({ all: true });
    expect(log.map(({ position }) => position)).toEqual(['0', '2', '4', '6']);
    expect(log.map(({ result }) => (result as { value: string }).value)).toEqual(expected);
    expect(await run.status()).toMatchObject({ checkpoints: 4, pass: { number: 3 } });
    await executionsOf(run);
    const mirrored = await waitUntil(async () => {
      const { execution_log, status } = await storage.loadProcedureMetadata(run.runId);
      return status === 'COMPLETED' && execution_log;
    });
    expect(mirrored.map(({ position, result }) => [position, (result as { value: string }).value])).toEqual(
      expected.map((word, pass) => [2 * pass, word]),
    );
  }

  it('in its pass, asks the same there, and is given what people had sent', async () => {
    const { run } = await runOfThree();
    await resetRun(server.client, run.runId);
    expect((await requestAt(run, 4)).message).toBe('Word 3?');
    expect(await run.decide({ request: `${run.runId}/2`, value: 'x' })).toMatchObject({ outcome: 'late' });
    await answerAt(run, 4, 'c');
    await answerAt(run, 6, 'd');
    await expectWords(run, ['a', 'b', 'c', 'd']);
  });

  it('to an earlier pass, goes through it with what people had sent', async () => {
    const { run, histories } = await runOfThree();
    await resetRun(server.client, run.runId, { execution: executionId(histories, 1) });
    await answerAt(run, 4, 'c');
    await answerAt(run, 6, 'd');
    await expectWords(run, ['a', 'b', 'c', 'd']);
  });

  it.each([1, 0])('to pass %d without what people had sent, asks again', async (pass) => {
    const { run, histories } = await runOfThree();
    await answerAt(run, 4, 'c');
    await requestAt(run, 6);
    await resetRun(server.client, run.runId, { execution: executionId(histories, pass), reapply: false });
    const again = ['A', 'B', 'C', 'D'];
    for (let i = pass; i < 4; i++) await answerAt(run, 2 * i, again[i]!);
    await expectWords(run, [...['a', 'b', 'c', 'd'].slice(0, pass), ...again.slice(pass)]);
  });
});

/** Three passes, each of which keeps how its request ended. */
const ends = (how = '') =>
  procedureOf(`
  state.ends = state.ends or {}
  local ok, answer = pcall(Human.approve, { message = "Go?", ${how} })
  table.insert(state.ends, ok and tostring(answer) or Error.code(answer))
  if #state.ends < 3 then Procedure.continue_as_new() end
  return state.ends`);

describe('a request that ends just before a pass does', () => {
  const withdrawn = (request: string, id: string): Decision => ({
    ...{ request, id, value: null, by: 'ann' },
    action: 'withdraw',
  });

  it('by being taken back, with decisions on it and on the next at once', async () => {
    const run = await server.tactus.start(ends());
    const { id: first } = await requestAt(run, 0);
    const next = `${run.runId}/2`;
    await atOnce(async () => {
      await signal(run, withdrawn(first, 'back'));
      await signal(run, { request: first, value: true, id: 'too late', by: 'bob' });
      await signal(run, { request: next, value: true, id: 'early', by: 'bob', early: true });
      await signal(run, withdrawn(next, 'none yet'));
    });
    const { id: last } = await requestAt(run, 4);
    expect((await verdictOn(run, 'too late')).outcome).toBe('late');
    expect((await verdictOn(run, 'back')).outcome).toBe('accepted');
    await run.decide(withdrawn(last, 'last'));
    expect(await run.result()).toEqual(['request_withdrawn', 'true', 'request_withdrawn']);
    expect(await executionsOf(run)).toHaveLength(3);
    for (const position of [0, 2])
      expect(await run.decide({ request: `${run.runId}/${position}`, value: false })).toMatchObject({
        outcome: 'late',
      });
  });

  it('by an answer, after which it is taken back', async () => {
    const run = await server.tactus.start(ends());
    const { id: first } = await requestAt(run, 0);
    await atOnce(async () => {
      await signal(run, { request: first, value: true, id: 'yes', by: 'bob' });
      await signal(run, withdrawn(first, 'back'));
    });
    await requestAt(run, 2);
    expect((await verdictOn(run, 'back')).outcome).toBe('late');
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect((await run.status()).pending).toEqual([]);
    await executionsOf(run);
  });

  it('by an answer that comes with the cancellation of the run', async () => {
    const run = await server.tactus.start(ends());
    const { id: first } = await requestAt(run, 0);
    await atOnce(async () => {
      await signal(run, { request: first, value: true, id: 'yes', by: 'bob' });
      await run.cancel();
    });
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect((await executionsOf(run)).length).toBeLessThan(3);
  });

  it('by its time, and an answer comes in the same task', async () => {
    const run = await server.tactus.start(ends('timeout = "2s", default = false'));
    const { id: first } = await requestAt(run, 0);
    await atOnce(async () => {
      await waitUntil(async () => {
        const { events } = await run.handle.fetchHistory();
        return events?.some((event) => event.timerFiredEventAttributes);
      });
      await signal(run, { request: first, value: true, id: 'just in time', by: 'bob' });
    });
    // In one task, messages have their turn before timers.
    await answerAt(run, 2, true);
    expect((await verdictOn(run, 'just in time')).outcome).toBe('accepted');
    expect(await run.result()).toEqual(['true', 'true', 'false']);
    expect(await executionsOf(run)).toHaveLength(3);
  });

  it('by its time, after an hour, and the next one has as much time again', async () => {
    const skipping = await startTimeSkippingServer();
    const own = await startWorker(skipping);
    try {
      const run = await skipping.tactus.start(ends('timeout = "1h", default = false'));
      await requestAt(run, 0);
      await skipping.env.sleep('61 minutes');
      const { created_at: asked } = await requestAt(run, 2);
      const timers = ((await run.handle.fetchHistory()).events ?? []).flatMap(
        ({ timerStartedEventAttributes: timer }) => timer?.startToFireTimeout?.seconds ?? [],
      );
      expect([Date.parse(asked) > Date.now() + 3_500_000, timers.map(Number)]).toEqual([true, [3_600]]);
      await answerAt(run, 2, true);
      expect(await run.result()).toEqual(['false', 'true', 'false']);
      expect(await executionsOf(run, skipping)).toHaveLength(3);
    } finally {
      await own.stop();
      await skipping.stop();
    }
  });
});

describe('signed decisions', () => {
  const signed = ({ id, digest }: HumanRequest, decision: Omit<Decision, 'request'>): Decision =>
    signDecision({ request: id, digest, ...decision }, { namespace: server.client.options.namespace, key });

  it('count in the pass of their request alone, also those that are looked at when it ends', async () => {
    const run = await server.tactus.start(ends(), {}, { settings: { signedDecisions: true } });
    const first = await requestAt(run, 0);
    const token = signed(first, { value: true, by: 'ann' });
    await atOnce(async () => {
      await signal(run, { ...token, id: 'yes' });
      await signal(run, { ...signed(first, { value: false, by: 'bob' }), id: 'no' });
      await signal(run, { ...token, id: 'forged', value: false });
    });
    const second = await requestAt(run, 2);
    const outcomes = [];
    for (const id of ['yes', 'no']) outcomes.push((await verdictOn(run, id)).outcome);
    expect(outcomes.toSorted()).toEqual(['accepted', 'late']);
    expect(['not_allowed', 'late']).toContain((await verdictOn(run, 'forged')).outcome);
    // What was signed for the request of another pass.
    expect(await run.decide({ ...token, request: second.id, id: 'replayed' })).toMatchObject({
      outcome: 'not_allowed',
    });
    // The same again, where it was the one that counted.
    const repeated = outcomes[0] === 'accepted' ? 'duplicate' : 'late';
    expect(await run.decide({ ...token, id: 'again' })).toMatchObject({ outcome: repeated });
    expect(await run.decide(signed(second, { value: true, by: 'ann' }))).toMatchObject({
      outcome: 'accepted',
    });
    expect(await run.status()).toMatchObject({ authority: 'signed' });
    await run.decide(signed(await requestAt(run, 4), { value: false, by: 'ann' }));
    const [said] = (await run.result()) as string[];
    expect(['true', 'false']).toContain(said);
    const { execution_log: log } = await run.log({ all: true });
    expect(log.map(({ by_verified }) => by_verified)).toEqual([true, true, true]);
    await executionsOf(run);
  });
});

describe('what is handed over at the end of a pass', () => {
  const source = procedureOf(
    `
    local one = require("noise")
    state.n = (state.n or 0) + one
    state.secret = "plum " .. state.n
    -- With these files, what is handed over is more than a history takes.
    state.text = string.rep("x", input.size)
    local said = Human.input("Word?")
    if state.n < 3 then Procedure.continue_as_new{ size = input.size, said = said } end
    return { n = state.n, said = input.said, size = #state.text }`,
    { 'noise.tac': `-- ${randomBytes(300_000).toString('base64')}\nreturn 1` },
  );

  it.each([100, 1_400_000])(
    'goes through a codec and a store as anything else (%d letters of state)',
    async (size) => {
      await worker.stop();
      const folder = temporaryFolder('pass-ends-store');
      const payloadStore = new FilePayloadStore(folder);
      const codec = { payloadCodecs: [aesCodec(randomBytes(32))] };
      const dataConverter = withPayloadStore(codec, payloadStore);
      worker = await startWorker(server, { payloadStore, worker: { dataConverter: codec } });
      const client = new Client({ connection: server.env.connection, dataConverter });
      const run = await new TactusClient(client).start(source, { size });
      for (const [position, word] of [
        [0, 'one'],
        [2, 'two'],
        [4, 'three'],
      ] as const)
        await answerAt(run, position, word);
      expect(await run.result()).toEqual({ n: 3, said: 'two', size });
      const { execution_log: log } = await run.log({ all: true });
      expect(log.map(({ result }) => (result as { value: string }).value)).toEqual(['one', 'two', 'three']);
      const histories = await historiesOf(client, run.runId);
      expect(histories).toHaveLength(3);
      expect(JSON.stringify(histories)).not.toContain(Buffer.from('plum').toString('base64').slice(0, 5));
      expect(failedTasks(histories)).toEqual([]);
      const named = histories.map((history) => ({ workflowId: run.runId, history }));
      expect(await replayHistories(named, { dataConverter })).toEqual([]);
      expect((await readdir(folder)).length > 0).toBe(size > 100);
    },
  );
});
