import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryStreams } from '../../../src/streams/memory-streams.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { openEvents } from '../../support/event-source.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
const ns = '/api/v1/namespaces/default';
const ask = procedureOf('return Human.approve({ message = "go on?" })');
let streams: MemoryStreams;
let api: ApiServer;

beforeAll(async () => {
  streams = new MemoryStreams();
  api = await startApi(server.tactus, temporaryFolder('api-events'), { streams });
});
afterAll(() => api.close());

const said = (run_id: string, text: string) =>
  streams.publish({
    run_id,
    position: '0',
    agent: 'a',
    attempt: 1,
    at: '2026-01-01T00:00:00Z',
    type: 'text',
    text,
  });

describe('a run', () => {
  it('is followed to its end, and after a drop from where it was', async () => {
    await server.tactus.start(ask, {}, { runId: 'followed' });
    said('followed', 'one ');
    said('followed', 'two ');
    const first = await openEvents(`${api.url}${ns}/runs/followed/events`);
    await first.until(({ event, data }) => event === 'status' && data['status'] === 'waiting_for_human');
    const two = await first.until(({ event, id }) => event === 'stream' && id === '2');
    expect(two.data).toMatchObject({ offset: 2, event: { type: 'text', text: 'two ' } });
    const status = first.seen.filter(({ event }) => event === 'status');
    expect(status.at(-1)?.data).toMatchObject({
      run_id: 'followed',
      pending: [{ id: 'followed/0' }],
      checkpoints: 0,
    });
    expect(status.every(({ id }) => id === undefined)).toBe(true);
    first.close();
    said('followed', 'three');

    const again = await openEvents(`${api.url}${ns}/runs/followed/events`, { 'last-event-id': '2' });
    await again.until(({ event }) => event === 'stream');
    await again.until(({ event }) => event === 'status');
    await api.post('/namespaces/default/requests/followed%2F0/decide', { value: true });
    await again.until(({ event, data }) => event === 'status' && data['status'] === 'completed');
    const end = await again.until(({ event }) => event === 'end');
    expect(end).toMatchObject({ id: '3.end', data: { run_id: 'followed' } });
    expect(again.seen.filter(({ event }) => event === 'stream').map(({ id }) => id)).toEqual(['3']);
    expect(await again.ended).toBe(true);

    const last = await fetch(`${api.url}${ns}/runs/followed/events`, {
      headers: { 'last-event-id': '3.end' },
    });
    expect(last.status).toBe(204);
  });

  it('that waits gets no event of history from those who look on', async () => {
    await server.tactus.start(ask, {}, { runId: 'watched' });
    const open = await Promise.all([1, 2, 3].map(() => openEvents(`${api.url}${ns}/runs/watched/events`)));
    await Promise.all(open.map((each) => each.until(({ data }) => data['status'] === 'waiting_for_human')));
    const before = await historyLength('watched');
    for (let i = 0; i < 3; i++) await api.get('/namespaces/default/runs/watched');
    expect(await historyLength('watched')).toBe(before);
    for (const each of open) each.close();
    await server.tactus.attach('watched').terminate();
  });

  it('that isn’t there, and an id that is none, are refused', async () => {
    expect((await api.get('/namespaces/default/runs/nobody/events')).status).toBe(404);
    await server.tactus.start(procedureOf('return 1'), {}, { runId: 'odd' });
    expect((await api.get('/namespaces/default/runs/odd/events', { 'last-event-id': 'x' })).status).toBe(400);
  });
});

describe('a namespace', () => {
  it('tells which runs and requests have changed, and goes on where somebody was cut off', async () => {
    const first = await openEvents(`${api.url}${ns}/events`);
    const reset = await first.until(({ event }) => event === 'reset');
    await server.tactus.start(ask, {}, { runId: 'told' });
    await first.until(({ event, data }) => event === 'run' && data['run_id'] === 'told');
    const opened = await first.until(({ event, data }) => event === 'request' && data['id'] === 'told/0');
    expect(opened.data).toEqual({ id: 'told/0', run_id: 'told', state: 'open' });
    first.close();
    await api.post('/namespaces/default/requests/told%2F0/decide', { value: true });
    await server.tactus.attach('told').result();

    const again = await openEvents(`${api.url}${ns}/events`, { 'last-event-id': opened.id ?? '' });
    await again.until(({ event, data }) => event === 'request' && data['state'] === 'closed');
    await again.until(({ data }) => data['run_id'] === 'told' && data['status'] === 'completed');
    expect(again.seen.some(({ event }) => event === 'reset')).toBe(false);
    again.close();

    const from = await openEvents(`${api.url}${ns}/events`, { 'last-event-id': reset.id ?? '' });
    await from.until(({ data }) => data['id'] === 'told/0' && data['state'] === 'open');
    from.close();
    const lost = await openEvents(`${api.url}${ns}/events`, { 'last-event-id': 'gone.12' });
    await lost.until(({ event }) => event === 'reset');
    lost.close();
  });

  it('has so many streams and no more, and all end with the server', async () => {
    const small = await startApi(server.tactus, temporaryFolder('api-few'), { mostStreams: 1 });
    const open = await openEvents(`${small.url}${ns}/events`);
    await open.until(({ event }) => event === 'reset');
    const head = await fetch(`${small.url}${ns}/events`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect((await small.get('/namespaces/default/events')).body).toMatchObject({
      status: 429,
      code: 'rate_limited',
    });
    open.close();
    const next = await waitUntil(() => openEvents(`${small.url}${ns}/events`));
    await next.until(({ event }) => event === 'reset');
    await small.close();
    expect(await next.ended).toBe(true);
  });
});

async function historyLength(runId: string): Promise<number> {
  return (await server.tactus.attach(runId).handle.describe()).historyLength;
}
