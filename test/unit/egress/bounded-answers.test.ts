import { afterEach, expect, it, describe } from 'vitest';
import { EventMeter, type AnswerBounds } from '../../../src/egress/bounded-response.js';
import { egressFetch } from '../../../src/egress/egress-fetch.js';
import { startEndless, type EndlessAnswer, type EndlessServer } from '../../support/endless-server.js';
import { waitUntil } from '../../support/wait-until.js';

const megabyte = 1_000_000;
const bounds: AnswerBounds = {
  ...{ bytes: megabyte, streamBytes: 3 * megabyte, events: Infinity, idleMs: 10_000, wholeMs: 10_000 },
};

let server: EndlessServer;
afterEach(() => server.close());

async function ask(answer: EndlessAnswer, change: Partial<AnswerBounds> = {}): Promise<string> {
  server = await startEndless(() => answer);
  const response = await egressFetch({}, { ...bounds, ...change })(server.url);
  return response.text();
}

const tooLarge = { code: 'payload_too_large' };

describe('an answer without an end', () => {
  it.each(['flood', 'gzip', 'br', 'gzip, gzip'] as const)('is cut by its size: %s', async (how) => {
    await expect(ask({ how })).rejects.toMatchObject({ ...tooLarge, details: { limit: megabyte } });
    // It counts unpacked, and no more is fetched; what was packed thousandfold was written far ahead of what was read.
    if (how === 'flood') expect(server.taken()).toBeLessThan(8 * megabyte);
    await waitUntil(async () => server.open() === 0);
  });

  it('is cut by its size where it is an error, too', async () => {
    await expect(ask({ how: 'flood', status: 500 })).rejects.toMatchObject(tooLarge);
  });

  it('is cut by the size of one event, with or without ends of lines', async () => {
    const type = 'text/event-stream; charset=utf-8';
    for (const piece of ['data: a\n', 'a', 'data: a\r\n', ': ping\r']) {
      const work = ask({ how: 'flood', type, begin: 'data: ', piece: piece.repeat(9_000) });
      await expect(work).rejects.toMatchObject({ ...tooLarge, details: { limit: megabyte } });
      await server.close();
    }
  });

  it('is cut by the size of all events', async () => {
    const work = ask({
      ...{ how: 'flood', type: 'text/event-stream', begin: '', piece: 'data: a\n\n'.repeat(9_000) },
    });
    await expect(work).rejects.toMatchObject({ ...tooLarge, details: { limit: 3 * megabyte } });
    expect(server.taken()).toBeLessThan(10 * megabyte);
  });

  it('is cut by the number of its events', async () => {
    const piece = 'data: a\n\n'.repeat(1_000);
    const endless = { how: 'flood', type: 'text/event-stream', begin: '', piece } as const;
    await expect(ask(endless, { events: 2_500 })).rejects.toMatchObject({
      ...tooLarge,
      details: { limit: 2_500 },
    });
  });

  it('is cut by its silence', async () => {
    await expect(ask({ how: 'silence' }, { idleMs: 60 })).rejects.toThrow('sent nothing for 0.06 s');
    await waitUntil(async () => server.open() === 0);
  });

  it('is cut by its slowness, unless it is a stream of events', async () => {
    const slow = { how: 'drip', everyMs: 5 } as const;
    await expect(ask(slow, { idleMs: 10_000, wholeMs: 80 })).rejects.toThrow('too slowly');
    await waitUntil(async () => server.open() === 0);
    await server.close();
    server = await startEndless(() => ({ ...slow, type: 'text/event-stream' }));
    const gone = AbortSignal.timeout(300);
    const response = await egressFetch({}, { ...bounds, wholeMs: 80 })(server.url, { signal: gone });
    await expect(response.text()).rejects.toThrow('timeout');
    await waitUntil(async () => server.open() === 0);
  });

  it('is cut by its slowness where nobody says how long it may take, its head too', async () => {
    server = await startEndless(() => ({ how: 'redirect' }));
    const answers: string[] = [];
    const send = ((_url: URL, init: RequestInit) => {
      answers.push(String(init.signal instanceof AbortSignal), String(init.redirect));
      return Promise.resolve(new Response('ok'));
    }) as typeof fetch;
    await egressFetch({ fetch: send }, bounds)('http://a/', { redirect: 'follow' });
    expect(answers).toEqual(['true', 'manual']);
  });

  it('is one answer where it is redirects', async () => {
    server = await startEndless(() => ({ how: 'redirect' }));
    const response = await egressFetch({}, bounds)(`${server.url}/a`, { redirect: 'follow' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/a']);
    expect(server.asked).toHaveLength(1);
  });
});

describe('an answer with an end', () => {
  it('stays as it is', async () => {
    server = await startEndless((path) => (path === '/none' ? { status: 204 } : { json: ['ü', 1] }));
    const send = egressFetch({}, bounds);
    const response = await send(`${server.url}/a?b=1`);
    expect(response.url).toBe(`${server.url}/a?b=1`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(['ü', 1]);
    expect((await send(`${server.url}/none`)).body).toBe(null);
  });

  it('of exactly as much as is read passes', async () => {
    const send = ((): Promise<Response> => Promise.resolve(new Response('x'.repeat(10)))) as typeof fetch;
    server = await startEndless(() => ({ status: 204 }));
    const with10 = egressFetch({ fetch: send }, { ...bounds, bytes: 10 });
    expect(await (await with10('http://a/')).text()).toHaveLength(10);
    const with9 = egressFetch({ fetch: send }, { ...bounds, bytes: 9 });
    await expect((await with9('http://a/')).text()).rejects.toMatchObject(tooLarge);
  });

  it('whose reader leaves is left', async () => {
    server = await startEndless(() => ({ how: 'flood' }));
    const response = await egressFetch({}, bounds)(server.url);
    await response.body?.cancel();
    await waitUntil(async () => server.open() === 0);
  });
});

it('an event ends where a line is empty, however it came', async () => {
  server = await startEndless(() => ({ status: 204 }));
  for (const text of ['data: 12345\n\ndata: 1', 'data: 12345\r\n\r\ndata: 1', 'data: 12345\r\rdata: 1']) {
    for (let length = 1; length < text.length; length++) {
      const meter = new EventMeter();
      for (let at = 0; at < text.length; at += length) meter.add(Buffer.from(text.slice(at, at + length)));
      expect([length, meter.size, meter.events]).toEqual([length, 'data: 1'.length, 1]);
    }
  }
});
