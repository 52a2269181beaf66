import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { StoredEvent } from '../../../src/contract/streams/stream-event.js';
import { MemoryStreams } from '../../../src/streams/memory-streams.js';
import { NatsStreams } from '../../../src/streams/nats-streams.js';
import { historiesOf } from '../../support/histories.js';
import { startNats, type TestNats } from '../../support/nats-server.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
let nats: TestNats;

beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.kill());

const source = procedureSource(`
  lookup = Tool { description = "Looks up", input = { id = field.string{required = true} }, function(args) return "Order " .. args.id .. " is late" end }
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write.", tools = { lookup }, retry = { attempts = 3, delay_seconds = 0.01 } }
  Procedure { input = { asks = field.boolean{default = false} }, function(input)
    local said = writer("Where is order A7?").output
    if input.asks then Human.approve { message = "Well?" } end
    return said
  end }`);

const words = Array.from({ length: 60 }, (_, i) => `word${i} `)
  .join('')
  .trim();
const shape = ({ event }: StoredEvent): string => `${event.type} ${event.position}`;
const textOf = (events: readonly StoredEvent[]): string =>
  events.map(({ event }) => (event.type === 'text' ? event.text : '')).join('');

async function all(run: TactusRun, after = 0): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of run.stream({ after })) found.push(event);
  return found;
}

/** Reads so many events, and is cut off. */
async function some(run: TactusRun, count: number): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of run.stream()) {
    found.push(event);
    if (found.length === count) break;
  }
  return found;
}

describe.each(['in one process', 'through a broker'])('a stream %s', (place) => {
  const open = (): MemoryStreams | NatsStreams =>
    place === 'in one process' ? new MemoryStreams() : new NatsStreams({ servers: nats.address });
  let publishing: MemoryStreams | NatsStreams;
  let reading: MemoryStreams | NatsStreams;
  let tactus: TactusClient;
  let worker: TestWorker;

  beforeAll(async () => {
    publishing = open();
    reading = publishing instanceof MemoryStreams ? publishing : open();
    tactus = new TactusClient(around.server.client, { streams: reading });
    worker = await startWorker(around.server, { activities: { env: around.env, streams: publishing } });
    return async () => {
      await worker.stop();
      await publishing.close();
      await reading.close();
    };
  });
  it('has what agents say and do, in order, and ends with the run', async () => {
    around.provider.reply(
      { toolCalls: [{ id: 'c1', name: 'lookup', arguments: '{"id":"A7"}' }] },
      { slowly: { text: words }, everyMs: 5 },
    );
    const run = await tactus.start(source);
    const events = await all(run);
    expect(textOf(events)).toBe(words);
    const told = events.map(({ event }) => event).filter(({ type }) => type !== 'text');
    expect(told).toEqual([
      expect.objectContaining({ type: 'tool_call', tool: 'lookup', call_id: 'c1', arguments: { id: 'A7' } }),
      expect.objectContaining({ type: 'answer', finish_reason: 'tool_calls' }),
      expect.objectContaining({
        type: 'tool_result',
        tool: 'lookup',
        call_id: 'c1',
        content: 'Order A7 is late',
      }),
      expect.objectContaining({ type: 'answer', finish_reason: 'stop', agent: 'writer', run_id: run.runId }),
    ]);
    expect(events.length).toBeGreaterThan(5);
    const offsets = events.map(({ offset }) => offset);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    // It goes on after what was seen, also when the run has ended.
    const middle = events[3];
    expect(await all(run, middle?.offset)).toEqual(events.slice(4));
  });

  it('costs the run nothing', async () => {
    const counts: number[] = [];
    for (const streams of [true, false]) {
      around.provider.reply({ slowly: { text: words }, everyMs: 2 });
      const run = await tactus.start(source);
      if (streams) await all(run);
      await run.result();
      const [history] = await historiesOf(around.server.client, run.runId);
      counts.push(history?.events?.length ?? 0);
    }
    expect(counts[0]).toBe(counts[1]);
  });

  it('says where a call of a model begins anew', async () => {
    around.provider.reply(
      { cut: { text: 'Half of an answer, and then nothing more' }, afterBytes: 900 },
      { text: 'A whole answer' },
    );
    const run = await tactus.start(source);
    const events = await all(run);
    const again = events.findIndex(({ event }) => event.type === 'restart');
    expect(again).toBeGreaterThanOrEqual(0);
    expect(events[again]?.event).toMatchObject({ type: 'restart', attempt: 2, position: '0.0' });
    expect(textOf(events.slice(again))).toBe('A whole answer');
    expect(await run.result()).toBe('A whole answer');
  });
});

it('a stream says where an answer is broken off', async () => {
  const streams = new MemoryStreams();
  const worker = await startWorker(around.server, { activities: { env: around.env, streams } });
  try {
    around.provider.reply({ slowly: { text: words }, everyMs: 50 }, { text: 'Soon' });
    const run = await new TactusClient(around.server.client, { streams }).start(
      source,
      { asks: true },
      { limits: { heartbeatMs: 1_000 } },
    );
    await some(run, 1);
    await run.steer({ message: 'Say less', interrupt: true });
    const [request] = await pendingOf(run);
    // The run has gone on long before the worker hears of it, and lets the provider go.
    for await (const { event } of run.stream()) if (event.type === 'interrupted') break;
    await around.provider.requests[0]?.left;
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toBe('Soon');
    const events = await all(run);
    const of = (position: string): StoredEvent[] => events.filter(({ event }) => event.position === position);
    expect(of('0.0').at(-1)?.event).toMatchObject({ type: 'interrupted', agent: 'writer', attempt: 1 });
    expect(words.startsWith(textOf(of('0.0')))).toBe(true);
    expect(textOf(of('0.2'))).toBe('Soon');
  } finally {
    await worker.stop();
  }
});

describe('50 readers, and a broker that is killed', () => {
  it('have every event in order, and an approval is not held up', async () => {
    const publishing = new NatsStreams({ servers: nats.address });
    const readers = Array.from({ length: 50 }, () => new NatsStreams({ servers: nats.address }));
    const worker = await startWorker(around.server, { activities: { env: around.env, streams: publishing } });
    try {
      around.provider.reply({ slowly: { text: `${words} ${words} ${words}` }, everyMs: 20 });
      const started = await around.server.tactus.start(source, { asks: true });
      const runs = readers.map((streams) =>
        new TactusClient(around.server.client, { streams }).attach(started.runId),
      );
      const [first, second, third, ...others] = runs as [TactusRun, TactusRun, TactusRun, ...TactusRun[]];
      const reading = Promise.all(others.map((run) => all(run)));
      // Three are cut off on the way, and go on after what they saw.
      const cut = Promise.all(
        [first, second, third].map(async (run, i) => {
          const seen = await some(run, 5 + 3 * i);
          await delay(300);
          return [...seen, ...(await all(run, seen.at(-1)?.offset))];
        }),
      );
      await around.provider.arrived(1);
      await delay(800);
      await nats.kill();
      await delay(600);
      await nats.start();
      const [request] = await pendingOf(started);
      const before = performance.now();
      await started.decide({ request: request?.id ?? '', value: true });
      const decidedMs = performance.now() - before;
      console.log(`decided in ${decidedMs.toFixed(0)} ms, with 50 readers`);
      expect(await started.result()).toBe(`${words} ${words} ${words}`);
      const [whole] = await reading;
      expect(textOf(whole ?? [])).toBe(`${words} ${words} ${words}`);
      for (const events of [...(await reading), ...(await cut)]) expect(events).toEqual(whole);
      expect(new Set((whole ?? []).map(shape))).toEqual(new Set(['text 0.0', 'answer 0.0']));
    } finally {
      await worker.stop();
      await publishing.close();
      await Promise.all(readers.map((streams) => streams.close()));
    }
  });
});
