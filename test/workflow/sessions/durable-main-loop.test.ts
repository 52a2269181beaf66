import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CheckpointStore,
  CheckpointTrigger,
  Deadline,
  DeadlineExceededError,
  DurableMainLoop,
  SessionSnapshot,
  type DurableMainLoopOptions,
} from '../../../src/session.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { historiesOf } from '../../support/histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;
const start = (): Promise<TestWorker> => startWorker(around.server, { activities: { env: around.env } });
beforeAll(async () => {
  worker = await start();
});
afterAll(() => worker.stop());

/** What a process makes that wants the loop of a worker. */
function loopOf<Output = JsonValue>(
  name: string,
  body: string,
  options: Partial<DurableMainLoopOptions<Output>> = {},
): DurableMainLoop<JsonValue, Output> {
  return new DurableMainLoop<JsonValue, Output>(around.server.tactus, {
    worker: name,
    source: procedureOf(body),
    ...options,
  });
}

const asking = `
  worker = Agent { model = "openai/gpt-5-mini", message_history = { mode = "isolated" }, budget = { turns = 9 } }
  return DurableLoop { request = input.request, deadline = input.deadline, checkpoint_on = input.checkpoint_on,
    body = function(request)
      if not Plan.current() then Plan.setup { objective = request.task, initial_steps = { "Draft", "Review" } } end
      for _, step in ipairs(Plan.current().steps) do
        if step.status ~= "done" then
          local text = worker("Do " .. step.title).text
          Plan.update { step_id = step.step_id, status = "done" }
          Session.slice("Finding").append { text = text }
          Event.wait("next")
          return nil
        end
      end
      return { count = #Session.slice("Finding").all() }
    end }`;

describe('a loop of a worker', () => {
  it('is begun by one process and ended for another, after its worker was lost, with no call repeated', async () => {
    let count = 0;
    around.provider.reply(() => ({ text: `answer ${++count}` }));
    const options = {
      deadline: '2h',
      checkpointTrigger: new CheckpointTrigger(['UpdateStep']),
      parseOutput: (output: JsonValue) => (output as { count: number }).count,
    };
    const request = { task: 'Publish' };
    const one = loopOf('worker-001', asking, options);
    expect(await one.hasIncomplete()).toBe(false);
    const first = one.execute(request);
    first.catch(() => undefined);
    const run = around.server.tactus.attach('loop:worker-001');
    const waits = (round: number): Promise<unknown> =>
      waitUntil(async () =>
        (await run.status().catch(() => ({ waits: [] }))).waits.some(({ position }) =>
          position.startsWith(`${round}.`),
        ),
      );
    await waits(0);
    await worker.stop();
    // Another process, and another worker: it needs to know the identity alone.
    const other = loopOf('worker-001', asking, options);
    expect(await other.hasIncomplete()).toBe(true);
    expect(await other.loadRequest()).toEqual(request);
    await expect(other.execute({ task: 'Something else' })).rejects.toMatchObject({ code: 'run_conflict' });
    await waitUntil(async () =>
      (await DurableMainLoop.listIncomplete(around.server.tactus)).some(
        (each) => each.worker === 'worker-001' && each.runId === 'loop:worker-001',
      ),
    );
    worker = await start();
    const snapshot = await other.loadCheckpoint();
    expect(snapshot.plan?.steps.map(({ status }) => status)).toEqual(['done', 'pending']);
    expect(snapshot.slice('Finding')).toEqual([{ text: 'answer 1' }]);
    expect(SessionSnapshot.fromJson(snapshot.toJson()).toJson()).toBe(snapshot.toJson());
    expect((await run.session()).snapshots.map(({ trigger }) => trigger)).toEqual(['plan_step_done']);
    await expect(other.markCompleted()).rejects.toMatchObject({ code: 'usage' });
    const second = other.execute();
    await run.send('next', 1);
    await waits(1);
    await run.send('next', 2);
    expect(await second).toEqual({ output: 2, runId: 'loop:worker-001', isResumed: true });
    expect(await first).toEqual({ output: 2, runId: 'loop:worker-001', isResumed: false });
    expect(around.provider.requests).toHaveLength(2);
    await other.markCompleted();
    expect(await other.hasIncomplete()).toBe(false);
    await expect(other.execute()).rejects.toMatchObject({
      code: 'run_not_found',
      message: 'The worker worker-001 has no incomplete loop: begin one with a request',
    });
  });

  it('is begun once by processes that want it at once, and anew after it is completed', async () => {
    const body = `Step("work", function() return 1 end) return { done = input.request }`;
    const responses = await Promise.all([1, 2, 3].map(() => loopOf('at-once', body).execute('r')));
    expect(responses.map(({ output }) => output)).toEqual(Array(3).fill({ done: 'r' }));
    const before = (await historiesOf(around.server.client, 'loop:at-once')).length;
    expect((await loopOf('at-once', body).execute('s')).output).toEqual({ done: 's' });
    expect(before).toBeLessThanOrEqual(3);
  });

  const failing = (tail: string): string => `
    local asked = Agent { model = "openai/gpt-5-mini", message_history = { mode = "isolated" }, budget = { turns = 9 } }
    local first = asked("first").text
    ${tail}`;

  it('goes on after an attempt that failed, where it failed, by the same keys', async () => {
    const seen: string[] = [];
    around.provider.reply((request) => {
      const text = JSON.stringify(request.body).includes('second') ? 'second' : 'first';
      seen.push(text);
      return seen.filter((each) => each === 'second').length === 1 && text === 'second'
        ? { status: 400, error: { message: 'no such thing' } }
        : { text };
    });
    const body = failing(`local second = asked("second").text return { first, second }`);
    const loop = loopOf('failing', body, { deadline: new Deadline(new Date(Date.now() + 3_600_000)) });
    await expect(loop.execute('r')).rejects.toMatchObject({ code: 'model_call_failed' });
    expect(await loop.hasIncomplete()).toBe(true);
    await waitUntil(async () =>
      (await DurableMainLoop.listIncomplete(around.server.tactus)).some(
        ({ worker: name, status }) => name === 'failing' && status === 'failed',
      ),
    );
    expect(await loopOf('failing', body).execute()).toEqual({
      output: ['first', 'second'],
      ...{ runId: 'loop:failing', isResumed: true },
    });
    expect(seen).toEqual(['first', 'second', 'second']);
    const keys = around.provider.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[1]).toMatch(/^\S{10,}/);
    expect(keys[2]).toBe(keys[1]);
  });
  it('keeps the passes before an attempt that failed', async () => {
    let asked = 0;
    around.provider.reply(() =>
      ++asked === 3 ? { status: 400, error: { message: 'no such thing' } } : { text: `answer ${asked}` },
    );
    const body = failing(`
      state.firsts = (state.firsts or 0) + 1
      if state.firsts == 1 then Procedure.continue_as_new(input) end
      return { first, asked("second").text, state.firsts }`);
    const loop = loopOf('passes', body);
    await expect(loop.execute('r')).rejects.toMatchObject({ code: 'model_call_failed' });
    expect((await loop.execute()).output).toEqual(['answer 2', 'answer 4', 2]);
    const run = around.server.tactus.attach('loop:passes');
    expect((await run.status()).pass).toMatchObject({ number: 1 });
    const { execution_log: log } = await run.log({ all: true });
    const said = log.filter(({ type }) => type === 'agent_turn').map(({ result }) => JSON.stringify(result));
    expect(said.map((text) => /answer \d/.exec(text)?.[0])).toEqual(['answer 1', 'answer 2', 'answer 4']);
  });

  it('goes on with a source that is mended', async () => {
    around.provider.reply(() => ({ text: 'first' }));
    const loop = loopOf('mended', failing('error("a fault of ours")'));
    await expect(loop.execute('r')).rejects.toThrow('a fault of ours');
    await expect(loop.execute()).rejects.toThrow('a fault of ours');
    expect((await loopOf('mended', failing('return first .. input.request')).execute()).output).toBe(
      'firstr',
    );
    expect(around.provider.requests).toHaveLength(1);
  });

  it('is given up, open or failed', async () => {
    const waiting = loopOf('given-up', 'Event.wait("never")');
    const store = new CheckpointStore(around.server.tactus, {
      ...{ worker: 'given-up', source: procedureOf('Event.wait("never")') },
    });
    await expect(store.loadRequest()).rejects.toMatchObject({ code: 'run_not_found' });
    await store.persistRequest('r');
    await store.persistRequest('r');
    expect(await store.loadRequest()).toBe('r');
    await store.clear();
    expect(await waiting.hasIncomplete()).toBe(false);
    const failed = loopOf('failed-for-good', 'error("no")');
    await expect(failed.execute('r')).rejects.toThrow('no');
    await failed.clear();
    await failed.clear();
    expect(await failed.hasIncomplete()).toBe(false);
    await expect(failed.execute()).rejects.toMatchObject({ code: 'run_not_found' });
    expect((await loopOf('failed-for-good', 'return input.request').execute('s')).output).toBe('s');
  });

  it.each(['', 'a/b', 'x'.repeat(201), 'a\nb'])('has no worker called %j', (name) => {
    expect(() => loopOf(name, 'return 1')).toThrow('is no identity of a worker');
  });
});

describe('the deadline of all attempts', () => {
  const server = serverWithWorker(startTimeSkippingServer);

  it.each([
    ['rounds', 'DurableLoop { deadline = input.deadline, body = function() Sleep("50m") end }'],
    ['a-wait', 'Event.wait("never")'],
  ])('ends a loop in %s, and lets no other begin with that request', async (name, body) => {
    const loop = new DurableMainLoop(server.tactus, {
      ...{ worker: name, source: procedureOf(body), deadline: '2h' },
    });
    const error = await loop.execute('r').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({
      code: 'deadline_exceeded',
      message: expect.stringContaining('is over') as string,
    });
    expect(await loop.hasIncomplete()).toBe(false);
    await expect(loop.execute('r')).rejects.toBeInstanceOf(DeadlineExceededError);
    await expect(loop.execute()).rejects.toBeInstanceOf(DeadlineExceededError);
    await loop.clear();
    await expect(loop.execute()).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
