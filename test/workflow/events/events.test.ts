import { unknownSignals } from '../../../src/client/health/find-trouble.js';
import { describe, expect, it } from 'vitest';
import { eventSignal } from '../../../src/contract/events/event-effect.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { expectReplays } from '../../support/histories-below.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);

type Run = Awaited<ReturnType<TestServer['tactus']['start']>>;

const send = (run: Run, name: string, value: JsonValue): Promise<void> =>
  run.handle.signal(eventSignal, name, value);

/** The run waits for so many events. */
const waitsFor = (run: Run, count: number): Promise<unknown> =>
  waitUntil(async () => (await run.status()).waits.filter(({ kind }) => kind === 'event').length === count);

/** What ran must replay, in every execution. */
describe('Event.wait', () => {
  it('gives what came before and after it was waited for, each once, in order', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        Event.wait("begin")
        local found = {}
        for i = 1, 4 do found[i] = Event.wait("n") end
        return found`),
    );
    for (const n of [1, 2]) await send(run, 'n', n);
    await waitsFor(run, 1);
    await send(run, 'begin', null);
    await waitUntil(async () => (await run.log()).execution_log.length === 3);
    for (const n of [3, 4]) await send(run, 'n', n);
    expect(await run.result()).toEqual([1, 2, 3, 4]);
    await expectReplays(server.tactus, run.runId);
  });

  it('gives each of several waits what it wants, and the first of them what several want', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        return Parallel{
          function() return Event.wait("paid", { match = { order = "B" } }) end,
          function() return Event.wait("paid") end,
          function() return Event.wait("paid", { match = { order = "A", part = { n = 1 } } }) end,
        }`),
    );
    await waitsFor(run, 3);
    await send(run, 'paid', { order: 'A', part: { n: 1 }, by: 1 });
    await send(run, 'paid', { order: 'A', part: { n: 1 }, by: 2 });
    await send(run, 'paid', { order: 'B', by: 3 });
    const [b, any, a] = (await run.result()) as { by: number }[];
    expect([b?.by, any?.by, a?.by]).toEqual([3, 1, 2]);
    await expectReplays(server.tactus, run.runId);
  });

  it('ends when its time is over, and leaves what comes later to others', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        local value, why = Event.wait("late", { timeout = 1 })
        return { why = why, none = value == nil, later = Event.wait("late") }`),
    );
    await waitUntil(async () => (await run.log()).execution_log.length === 1);
    await send(run, 'late', { n: 1 });
    expect(await run.result()).toEqual({ why: 'timed_out', none: true, later: { n: 1 } });
    await expectReplays(server.tactus, run.runId);
  });

  it('tells of a value that its schema refuses, which can be caught, and goes on with the next', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        local schema = { amount = field.number{required = true} }
        local ok, why = pcall(Event.wait, "paid", { schema = schema })
        return { ok = ok, why = tostring(why), next = Event.wait("paid", { schema = schema }) }`),
    );
    await send(run, 'paid', { amount: 'a lot' });
    await send(run, 'paid', { amount: 4 });
    const { ok, why, next } = (await run.result()) as Record<string, JsonValue>;
    expect({ ok, next }).toEqual({ ok: false, next: { amount: 4 } });
    expect(why).toMatch(/what came as "paid".*amount must be a number/);
  });

  it('loses nothing when the run continues as new, between coming and being told', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        local sum = 0
        for i = 1, 60 do sum = sum * 3 % 1009 + Event.wait("n", { timeout = "1h" }) end
        return sum`),
      {},
      { limits: { historyEvents: 60 } },
    );
    let expected = 0;
    for (let n = 1; n <= 60; n++) {
      expected = ((expected * 3) % 1_009) + n;
      await send(run, 'n', n);
      if (n % 7 === 0) await waitsFor(run, 1);
    }
    expect(await run.result()).toBe(expected);
    expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(2);
    await expectReplays(server.tactus, run.runId);
  });

  it('gives to another wait what a branch was about to get that is given up', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        pcall(Parallel, {
          function() Event.wait("both") Event.wait("never") end,
          function() Event.wait("both") error("enough") end,
        })
        return Event.wait("never")`),
    );
    await waitsFor(run, 2);
    await send(run, 'both', 1);
    await send(run, 'both', 2);
    await waitsFor(run, 1);
    await send(run, 'never', 'yet');
    expect(await run.result()).toBe('yet');
  });

  it('is refused, with nothing asked, where its options are none', async () => {
    const problems = await Promise.all(
      ['{ time = 1 }', '{ match = "A" }', '{ timeout = "soon" }', '{ schema = 1 }'].map(async (options) => {
        const source = procedureOf(`return Event.wait("paid", ${options})`);
        return server.tactus
          .execute(source, {})
          .then(JSON.stringify, (error: unknown) => (error instanceof Error ? error.message : ''));
      }),
    );
    expect(problems).toEqual([
      expect.stringContaining('it has timeout, match and schema'),
      expect.stringContaining('needs match as a table'),
      expect.stringContaining('timeout'),
      expect.stringContaining('schema of Event.wait'),
    ]);
  });

  it('drops, and says so, what is too much to keep; a wait still gets what it wants', async () => {
    const run = await server.tactus.start(procedureOf('Event.wait("go") return Event.wait("big")'));
    const text = 'x'.repeat(200_000);
    for (const n of [1, 2, 3, 4]) await send(run, 'other', { n, text });
    await waitsFor(run, 1);
    await send(run, 'go', { text });
    await waitsFor(run, 1);
    await send(run, 'big', { n: 1, text });
    expect(((await run.result()) as { n: number }).n).toBe(1);
  });
});

it('a signal of a name that no run hears is found, and those that it hears are not', async () => {
  const run = await server.tactus.start(procedureOf('return Event.wait("command")'));
  await run.handle.signal('command', { stop: true });
  await run.handle.signal('event', 'command', { stop: true });
  expect(await run.result()).toEqual({ stop: true });
  expect(await unknownSignals(server.client, run.runId)).toEqual(['command']);
});
