import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/authority/signature.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { defaultTaskQueue, workflowType } from '../../../src/contract/names.js';
import { accessOf } from '../../../src/server/access/access-of.js';
import { signingKeyOf } from '../../../src/server/access/read-signing-key.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { SeenInFile, type SeenMessages } from '../../../src/server/events/webhooks/seen-messages.js';
import { webhooksOf } from '../../../src/server/events/webhooks/webhooks.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { startApi, unindexed, type ApiServer } from '../../support/api-server.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const ns = '/namespaces/default';
const token = { ann: 'the-token-of-ann-who-may-all', bob: 'the-token-of-bob-in-tenant-b' };
const payKey = 'c2VjcmV0LW9mLXBheW1lbnRzLWFuZC1tb3Jl';
const env = {
  ANN: token.ann,
  BOB: token.bob,
  PAY: `whsec_${payKey}`,
  GIT: 'the-secret-of-git-is-no-short-one',
};
const ann = { authorization: `Bearer ${token.ann}` };
const bob = { authorization: `Bearer ${token.bob}` };
const served = ['default', 'tenant-b'];
let folder: string;
let server: TestServer;
let worker: TestWorker;
let api: ApiServer;

/** The server as it is configured; another one after it knows nothing of what this one has seen. */
async function serve(seen?: SeenMessages): Promise<ApiServer> {
  const generated = join(folder, 'k1.pem');
  const settings = readServerSettings({
    tokens: [
      { name: 'ann', secret: 'ANN', namespaces: ['default'] },
      { name: 'bob', secret: 'BOB', namespaces: ['tenant-b'] },
    ],
    signing: { key: 'k1', file: generated },
    webhooks: {
      pay: {
        secret: 'PAY',
        namespace: 'default',
        run: 'order-{/data/order}',
        event: '{/type}',
        value: '/data',
      },
      git: { secret: 'GIT', scheme: 'body', namespace: 'default', run: '{/run}', event: 'pushed' },
    },
  });
  const access = accessOf(settings, { env, served, isEmbedded: false });
  const signingKey = signingKeyOf(settings, access, { env, workingFolder: folder });
  const files = new FilePayloadStore(join(folder, 'payloads'));
  return startApi(server.tactus, folder, {
    access,
    webhooks: webhooksOf(settings, { env, served, seen }),
    namespaces: served.map((name) => ({ name, tactus: server.tactus, files, signingKey, ...unindexed })),
    pages: join(folder, 'pages'),
  });
}

beforeAll(async () => {
  folder = temporaryFolder('api-files');
  const { privatePem, ed25519 } = generateKey();
  writeFileSync(join(folder, 'k1.pem'), privatePem);
  mkdirSync(join(folder, 'pages', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'pages', 'index.html'), '<!doctype html><title>inbox</title>');
  writeFileSync(join(folder, 'pages', 'assets', 'page-1.js'), 'export {}');
  mkdirSync(join(folder, 'flows'));
  writeFileSync(
    join(folder, 'flows', 'greet.tac'),
    'Procedure { input = { who = field.string{} }, function(input) local yes = Human.approve("greet?") return yes end }',
  );
  server = await startDevServer();
  worker = await startWorker(server, { activities: { authorityKeys: { k1: { ed25519 } } } });
  api = await serve();
});
afterAll(async () => {
  await api.close();
  await worker.stop();
  await server.stop();
});

async function waits(run: string): Promise<void> {
  await waitUntil(async () => (await server.tactus.attach(run).status()).waits.length > 0);
}

async function eventsOf(run: string): Promise<number> {
  const { events } = await server.tactus.attach(run).handle.fetchHistory();
  return (events ?? []).filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal != null)
    .length;
}

describe('files', () => {
  const upload = async (name: string, body: string, type = 'application/pdf', headers = ann) => {
    const path = `${api.url}/api/v1${ns}/files?name=${encodeURIComponent(name)}`;
    const response = await fetch(path, {
      method: 'POST',
      body,
      headers: { 'content-type': type, ...headers },
    });
    const answer = (await response.json()) as JsonObject;
    return {
      status: response.status,
      body: answer,
      id: answer['id'] as string,
      value: (answer['value'] ?? {}) as JsonObject,
    };
  };

  it('are handed in, answer a request, and are had back', async () => {
    await server.tactus.start(
      procedureOf('return Human.upload({ message = "report?", accept = {".pdf"}, max_size = 100 })'),
      {},
      { runId: 'upload' },
    );
    await waits('upload');
    const { status, value: file } = await upload('Quarter "1" é.pdf', '%PDF-1.7\n\u0000');
    expect([status, file['size'], file['type']]).toEqual([201, 10, 'application/pdf']);
    const decided = await api.post(`${ns}/requests/upload%2F0/decide`, { value: file }, ann);
    expect(decided.body).toMatchObject({ outcome: 'accepted' });
    expect(await server.tactus.attach('upload').result()).toMatchObject({
      name: 'Quarter "1" é.pdf',
      url: file['url'],
      size: 10,
    });
    const back = await fetch(file['url'] as string, { headers: ann });
    expect(Buffer.from(await back.arrayBuffer()).toString()).toBe('%PDF-1.7\n\u0000');
    expect(back.headers.get('content-type')).toBe('application/pdf');
    expect(back.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''Quarter%20%221%22%20%C3%A9.pdf",
    );
    expect(back.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('are of one namespace, and of nobody who isn’t signed in', async () => {
    const { id, body } = await upload('a.txt', 'secret', 'text/plain');
    expect((await api.get(`${ns}/files/${id}`)).status).toBe(401);
    expect((await api.get(`/namespaces/tenant-b/files/${id}`, bob)).status).toBe(404);
    expect((await api.get(`${ns}/files/${id}`, bob)).status).toBe(404);
    for (const odd of ['..%2Fk1.pem', body['sha256'] as string, 'x'.repeat(32)])
      expect((await api.get(`${ns}/files/${odd}`, ann)).status).toBe(404);
  });

  it('have a size and a name', async () => {
    expect((await upload('big', 'x'.repeat(1_000_001))).body).toMatchObject({ code: 'payload_too_large' });
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(100_000))),
    });
    const endless = fetch(`${api.url}/api/v1${ns}/files?name=a`, {
      ...{ method: 'POST', body: stream, headers: ann, duplex: 'half' },
    }).then(({ status }) => status);
    expect(await endless.catch(() => 413)).toBe(413);
    for (const name of ['', '../a', 'a\u0000', 'x'.repeat(256)])
      expect((await upload(name, 'x')).status).toBe(400);
    expect((await upload('odd', 'x', 'text/html<script>')).value['type']).toBe('application/octet-stream');
  });
});

describe('events', () => {
  it('reach a procedure that waits, once for each id', async () => {
    await server.tactus.start(
      procedureOf('local a = Event.wait("paid") local b = Event.wait("paid") return { a, b }'),
      {},
      { runId: 'events' },
    );
    await waits('events');
    const send = (body: JsonObject) => api.post(`${ns}/runs/events/events`, body, ann);
    expect(await send({ name: 'paid', value: 1, id: 'first' })).toMatchObject({
      status: 202,
      body: { run_id: 'events', event: 'paid', id: 'first' },
    });
    expect((await send({ name: 'paid', value: 1, id: 'first' })).status).toBe(202);
    const again = await serve();
    expect(
      (await again.post(`${ns}/runs/events/events`, { name: 'paid', value: 1, id: 'first' }, ann)).status,
    ).toBe(202);
    await again.close();
    expect(await eventsOf('events')).toBe(1);
    expect((await send({ name: 'paid', value: 2, id: 'second' })).status).toBe(202);
    expect(await server.tactus.attach('events').result()).toEqual([1, 2]);
    expect((await send({ name: 'paid' })).body).toMatchObject({ status: 409, code: 'run_conflict' });
    expect((await api.post(`${ns}/runs/nobody/events`, { name: 'paid' }, ann)).status).toBe(404);
    for (const wrong of [{}, { name: '' }, { name: 'a\nb' }, { name: 'a', odd: 1 }])
      expect((await send(wrong)).status).toBe(400);
    await server.tactus.start(procedureOf('return Event.wait("paid")'), {}, { runId: 'large' });
    expect(
      (await api.post(`${ns}/runs/large/events`, { name: 'paid', value: 'x'.repeat(1_700_000) }, ann)).status,
    ).toBe(413);
    await server.tactus.attach('large').terminate();
  });
});

async function post(
  hook: string,
  body: string,
  headers: Record<string, string>,
  to = api,
): Promise<{ status: number; body: JsonObject }> {
  const response = await fetch(`${to.url}/hooks/${hook}`, { method: 'POST', body, headers });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

describe('webhooks', () => {
  const key = Buffer.from(payKey, 'base64');
  const standard = (body: string, { id = 'msg-1', at = Date.now(), secret = key } = {}) => {
    const timestamp = String(Math.floor(at / 1_000));
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,bm9uZQ== v1,${signature}`,
    };
  };
  it('are events where they are signed, mapped as configured, and one each', async () => {
    await server.tactus.start(
      procedureOf('return { Event.wait("payment.done"), Event.wait("payment.done") }'),
      {},
      { runId: 'order-7' },
    );
    await waits('order-7');
    const body = JSON.stringify({ type: 'payment.done', data: { order: 7, amount: 12 } });
    expect(await post('pay', body, standard(body))).toMatchObject({
      status: 202,
      body: { run_id: 'order-7', event: 'payment.done', id: 'msg-1' },
    });
    expect((await post('pay', body, standard(body))).status).toBe(202);
    expect(await eventsOf('order-7')).toBe(1);
    expect((await post('pay', body, standard(body, { id: 'msg-2' }))).status).toBe(202);
    expect(await server.tactus.attach('order-7').result()).toEqual([
      { order: 7, amount: 12 },
      { order: 7, amount: 12 },
    ]);
  });

  it('of orders that differ past 2^53 reach each its own run, digits and all', async () => {
    for (const order of ['9007199254740992', '9007199254740993']) {
      const runId = `order-${order}`;
      await server.tactus.start(procedureOf('return Event.wait("payment.done")'), {}, { runId });
      const body = `{"type": "payment.done", "data": {"order": ${order}, "parts": [1, 12345678901234567890]}}`;
      expect(await post('pay', body, standard(body, { id: order }))).toMatchObject({
        status: 202,
        body: { run_id: runId },
      });
      expect(await server.tactus.attach(runId).result()).toEqual({
        order,
        parts: [1, '12345678901234567890'],
      });
    }
    const body = '{"type": "payment.done", "data": {"order": 7.10, "sum": 1e400}}';
    expect((await post('pay', body, standard(body))).body['code']).toBe('usage');
  });

  it('that are forged, altered or old are refused', async () => {
    const body = JSON.stringify({ type: 'payment.done', data: { order: 8 } });
    await server.tactus.start(procedureOf('return Event.wait("payment.done")'), {}, { runId: 'order-8' });
    const refused = async (sent: string, headers: Record<string, string>) =>
      (await post('pay', sent, headers)).body['code'];
    expect(await refused(body, {})).toBe('unauthenticated');
    expect(await refused(body, standard(body, { secret: Buffer.from('another') }))).toBe('unauthenticated');
    expect(await refused(body.replace('8', '9'), standard(body))).toBe('unauthenticated');
    expect(await refused(body, { ...standard(body), 'webhook-id': 'other' })).toBe('unauthenticated');
    expect(await refused(body, standard(body, { at: Date.now() - 600_000 }))).toBe('unauthenticated');
    expect(await refused(body, standard(body, { at: Date.now() + 600_000 }))).toBe('unauthenticated');
    expect(await eventsOf('order-8')).toBe(0);
    await server.tactus.attach('order-8').terminate();
  });

  it('that don’t say what is looked for, or are of runs that aren’t there, are refused', async () => {
    const code = async (body: string) => (await post('pay', body, standard(body))).body['code'];
    expect(await code('{"type":"x"}')).toBe('usage');
    expect(await code('{"type":{},"data":{"order":1}}')).toBe('usage');
    expect(await code('{"type":"x","data":{"order":"a\\nb"}}')).toBe('usage');
    expect(await code('no json')).toBe('usage');
    expect(await code('{"type":"x","data":{"order":404}}')).toBe('run_not_found');
    expect((await post('nobody', '{}', {})).status).toBe(404);
  });

  it('with a signature of the body alone are one for each body', async () => {
    await server.tactus.start(procedureOf('return Event.wait("pushed")'), {}, { runId: 'pushed' });
    await waits('pushed');
    const body = JSON.stringify({ run: 'pushed', commit: 'abc' });
    const signature = `sha256=${createHmac('sha256', env.GIT).update(body).digest('hex')}`;
    expect((await post('git', body, { 'x-hub-signature-256': signature.replace('a', 'b') })).status).toBe(
      401,
    );
    expect((await post('git', body, { 'x-hub-signature-256': signature })).status).toBe(202);
    expect(await server.tactus.attach('pushed').result()).toEqual({ run: 'pushed', commit: 'abc' });
  });
});

describe('messages of webhooks that come again', () => {
  const signed = (body: string) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', env.GIT).update(body).digest('hex')}`,
  });

  it('are no event of a later run, nor after the run has continued as new, of whichever server', async () => {
    const file = join(folder, 'state', 'seen.sqlite');
    const first = await serve(await SeenInFile.open(file));
    const body = JSON.stringify({ run: 'replayed', commit: 'abc' });
    expect((await post('git', body, signed(body), first)).status).toBe(404);
    const waiting = procedureOf('return Event.wait("pushed")');
    const start = () =>
      server.client.workflow.start(workflowType, {
        ...{ workflowId: 'replayed', taskQueue: defaultTaskQueue, args: [{ source: waiting }] },
      });
    await start();
    await waits('replayed');
    // What no run has got is no message that was seen.
    expect((await post('git', body, signed(body), first)).status).toBe(202);
    await server.tactus.attach('replayed').result();
    await first.close();
    await start();
    const second = await serve(await SeenInFile.open(file));
    expect(await post('git', body, signed(body), second)).toMatchObject({
      status: 202,
      body: { run_id: 'replayed', event: 'pushed' },
    });
    const other = JSON.stringify({ run: 'replayed', commit: 'def' });
    expect((await post('git', other, signed(other), second)).status).toBe(202);
    expect(await server.tactus.attach('replayed').result()).toMatchObject({ commit: 'def' });
    await second.close();
  });
});

describe('signed decisions', () => {
  it('are signed for who is signed in, as the request was shown to them', async () => {
    await server.tactus.start(
      procedureOf('return Human.approve({ message = "pay?", approvers = {"ann"} })'),
      {},
      { runId: 'signed', settings: { signedDecisions: true } },
    );
    await waits('signed');
    const path = `${ns}/requests/signed%2F0`;
    const { digest, authority } = (await api.get(path, ann)).body['request'] as Record<string, string>;
    expect(authority).toBe('signed');
    const decide = async (body: JsonObject) => (await api.post(`${path}/decide`, body, ann)).body;
    expect(await decide({ value: true })).toMatchObject({ status: 400, code: 'usage' });
    expect(await decide({ value: true, digest: 'of-another-text' })).toMatchObject({ outcome: 'invalid' });
    expect(await decide({ value: true, digest: digest ?? '' })).toMatchObject({ outcome: 'accepted' });
    const { execution_log } = await server.tactus.attach('signed').log();
    expect(execution_log[0]?.result).toMatchObject({ value: true, by: 'ann', by_verified: true });
  });

  it('are signed for nobody who has not proved a name', () => {
    const settings = readServerSettings({ signing: { key: 'k1', file: 'k1.pem' } });
    const access = accessOf(settings, { env, served: ['default'], isEmbedded: true });
    expect(() => signingKeyOf(settings, access, { env, workingFolder: folder })).toThrow(/proved who/);
  });
});

describe('procedures', () => {
  it('are listed, described, and drawn with where a run stands', async () => {
    expect((await api.get(`${ns}/procedures`, ann)).body).toEqual({ procedures: ['flows/greet'] });
    const read = await api.get(`${ns}/procedures/flows%2Fgreet`, ann);
    expect(read.body).toMatchObject({ name: 'greet', describe: { input: { who: { type: 'string' } } } });
    expect((await api.get(`${ns}/procedures/nobody`, ann)).status).toBe(404);
    await api.post(`${ns}/runs`, { procedure: 'flows/greet', run_id: 'drawn' }, ann);
    await waits('drawn');
    const graph = (await api.get(`${ns}/runs/drawn/graph`, ann)).body;
    expect(graph['entry']).toBe('greet.tac');
    expect(graph['mermaid']).toMatch(/^flowchart TD/);
    const { waits: open } = (await api.get(`${ns}/runs/drawn`, ann)).body as {
      waits: { source: JsonObject }[];
    };
    const nodes = graph['nodes'] as { kind: string; line: number; file: string }[];
    expect(nodes).toContainEqual(expect.objectContaining({ kind: 'human', ...open[0]?.source }));
    await server.tactus.attach('drawn').terminate();
  });
});

describe('the page', () => {
  it('is there for whoever asks, under every path but those of the API', async () => {
    const page = async (path: string) => {
      const response = await fetch(`${api.url}${path}`);
      return [response.status, response.headers.get('cache-control'), (await response.text()).slice(0, 15)];
    };
    const index = [200, 'no-cache', '<!doctype html>'];
    expect(await page('/')).toEqual(index);
    expect(await page('/runs/a')).toEqual(index);
    expect(await page('/assets/page-1.js')).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'export {}',
    ]);
    expect((await page('/assets/gone.js'))[0]).toBe(404);
    expect((await page('/..%2fk1.pem'))[2]).toBe('<!doctype html>');
    expect((await page('/assets/..%2f..%2fk1.pem'))[0]).toBe(404);
    expect((await page('/api/v1/nothing'))[0]).toBe(401);
  });
});

it('has nothing to complain of', () => expect(api.troubles).toEqual([]));
