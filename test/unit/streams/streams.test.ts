import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { secretFilter } from '../../../src/activities/models/call-stream.js';
import type { StoredEvent, StreamEvent } from '../../../src/contract/streams/stream-event.js';
import { MemoryStreams } from '../../../src/streams/memory-streams.js';
import { Outbox } from '../../../src/streams/outbox.js';

const by = { run_id: 'run', position: '0.0', agent: 'writer', attempt: 1, at: '2026-01-01T00:00:00Z' };
const text = (said: string, more: Partial<typeof by> = {}): StreamEvent => ({
  ...by,
  ...more,
  type: 'text',
  text: said,
});
const said = ({ event }: { event: StreamEvent }): string => (event.type === 'text' ? event.text : event.type);

async function all(events: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

describe('streams in one process', () => {
  it('give each reader every event in order, and what came before', async () => {
    const streams = new MemoryStreams();
    const until = delay(50);
    const early = all(streams.read('run', { until }));
    for (const word of ['a', 'b', 'c']) streams.publish(text(word));
    const [first, second] = await Promise.all([early, all(streams.read('run', { until }))]);
    expect(first.map(said)).toEqual(['a', 'b', 'c']);
    expect(second).toEqual(first);
    const [, b] = first;
    expect((await all(streams.read('run', { until, after: b?.offset ?? 0 }))).map(said)).toEqual(['c']);
  });

  it('add what has an id once, and keep runs apart', async () => {
    const streams = new MemoryStreams();
    for (let i = 0; i < 2; i++) streams.publish(text('once'), 'same');
    streams.publish(text('elsewhere', { run_id: 'other' }));
    expect((await all(streams.read('run', { until: Promise.resolve() }))).map(said)).toEqual(['once']);
  });

  it('end when nobody wants them any more', async () => {
    const over = new AbortController();
    const reading = all(new MemoryStreams().read('run', { signal: over.signal }));
    over.abort();
    expect(await reading).toEqual([]);
  });
});

describe('what waits to be sent', () => {
  it('arrives in order, each until it has arrived', async () => {
    const arrived: [string, string][] = [];
    let refusals = 3;
    const outbox = new Outbox(
      'box',
      (event, id) => {
        if (refusals-- > 0) return Promise.reject(new Error('away'));
        arrived.push([said({ event }), id]);
        return Promise.resolve();
      },
      () => undefined,
    );
    outbox.add(text('one '));
    outbox.add({ ...by, type: 'restart' });
    outbox.add(text('two', { attempt: 2 }), 'mine');
    await outbox.flushed(5_000);
    expect(arrived).toEqual([
      ['one ', 'box/1'],
      ['restart', 'box/2'],
      ['two', 'mine'],
    ]);
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('away'))],
    ['never answers', () => new Promise<void>(() => undefined)],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('neither throws nor waits where the broker %s', async (_, send) => {
    const outbox = new Outbox('box', send, () => undefined);
    const given: unknown[] = [];
    for (let i = 0; i < 100; i++) given.push(outbox.add(text('a'), String(i)));
    expect(given).toEqual(Array.from({ length: 100 }, () => undefined));
    await delay(0);
    outbox.close();
  });

  it('puts text together that waits, of one answer alone', async () => {
    const arrived: string[] = [];
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const outbox = new Outbox(
      'box',
      async (event) => {
        await opened;
        arrived.push(said({ event }));
      },
      () => undefined,
    );
    for (const word of ['a', 'b', 'c']) outbox.add(text(word));
    outbox.add(text('d', { attempt: 2 }));
    outbox.add(text('e', { attempt: 2 }));
    open();
    await outbox.flushed(5_000);
    expect(arrived).toEqual(['a', 'bc', 'de']);
  });

  it('tells how much was lost where too much waits, and waits no longer than it is told', async () => {
    const arrived: StreamEvent[] = [];
    let isAway = true;
    const outbox = new Outbox(
      'box',
      (event) => {
        if (isAway) return Promise.reject(new Error('away'));
        arrived.push(event);
        return Promise.resolve();
      },
      () => undefined,
    );
    const result = (content: string): StreamEvent => ({
      ...by,
      type: 'tool_result',
      call_id: 'c',
      tool: 't',
      content,
    });
    for (let i = 0; i < 20; i++) outbox.add(result('x'.repeat(1_000_000)));
    await outbox.flushed(20);
    expect(arrived).toEqual([]);
    isAway = false;
    await outbox.flushed(10_000);
    outbox.add(result('after'));
    await outbox.flushed(5_000);
    expect(arrived.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 15 }, () => 'tool_result'),
      'gap',
      'tool_result',
    ]);
    expect(arrived.at(-2)).toMatchObject({ type: 'gap', lost: 5 });
  });
});

describe('secrets in what is streamed', () => {
  const streamed = (secrets: string[], ...pieces: string[]): string[] => {
    const given: string[] = [];
    const filter = secretFilter(secrets, (piece) => given.push(piece));
    for (const piece of pieces) filter.add(piece);
    filter.end();
    return given;
  };

  it.each([
    [['My key is sk-abc, you see'], 'My key is [redacted], you see'],
    [['My key is s', 'k-', 'ab', 'c, you see'], 'My key is [redacted], you see'],
    [['sk-ab', 'd and s', 'o'], 'sk-abd and so'],
    [['ends with sk-a'], 'ends with sk-a'],
  ])('are taken out of %j', (pieces, whole) => {
    expect(streamed(['sk-abc'], ...pieces).join('')).toBe(whole);
  });

  it('hold nothing that can be none', () => {
    expect(streamed(['sk-abc'], 'Hello ', 'there s', 'ir')).toEqual(['Hello ', 'there ', 'sir']);
    expect(streamed([], 'a', 'b')).toEqual(['a', 'b']);
  });
});
