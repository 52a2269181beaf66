import { Client } from '@temporalio/client';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { accessOf, hashOfToken } from '../../../src/server/access/access-of.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { payloadEncryption } from '../../../src/worker/payloads/codecs/encryption/payload-encryption.js';
import { payloadToJson, type PayloadJson } from '../../../src/worker/payloads/codecs/payload-json.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { executablePaths } from '../../support/executable-paths.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';

/** Temporal's Web UI asks `serve` to decode what it shows, as it asks any codec server. */
const keys = { A: randomBytes(32).toString('hex'), B: randomBytes(32).toString('hex') };
const tokens = { READER: 'reader-token-0123456789', ELSEWHERE: 'elsewhere-token-0123456789' };
const origin = 'http://localhost:8080';
const path = '/namespaces/default/codec/decode';
const as = (who: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[who]}` });

let server: TestServer;
let api: ApiServer;
/** Of a run's start: whole, and encrypted with the key a, and with the key b. */
let ofA: PayloadJson;
let ofB: PayloadJson;
beforeAll(async () => {
  server = await startDevServer();
  ofA = await startPayload('a');
  ofB = await startPayload('b');
  const hash = (text: string): string => `sha256:${hashOfToken(text).toString('hex')}`;
  const settings = readServerSettings({
    tokens: [
      { name: 'reader', hash: hash(tokens.READER), roles: ['read'], namespaces: ['default'] },
      { name: 'elsewhere', hash: hash(tokens.ELSEWHERE), namespaces: ['other'] },
    ],
  });
  const served = ['default', 'other'];
  api = await startApi(clientWith(['a']), temporaryFolder('codec'), {
    access: accessOf(settings, { env: {}, served, isEmbedded: false }),
    origins: [origin],
  });
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
});

/** A client that has these keys, of which the first one encrypts. */
function clientWith(ids: readonly ('a' | 'b')[]): TactusClient {
  const named = Object.fromEntries(ids.map((id) => [id, id.toUpperCase()]));
  const codec = payloadEncryption({ key: ids[0] ?? 'a', keys: named }, keys);
  const { connection } = server.client;
  return new TactusClient(new Client({ connection, dataConverter: { payloadCodecs: [codec] } }));
}

/** What the server has of the input of a run. */
async function startPayload(key: 'a' | 'b'): Promise<PayloadJson> {
  const { runId } = await clientWith([key]).start(procedureOf('return "canary"'));
  const { history } = await server.client.workflowService.getWorkflowExecutionHistory({
    ...{ namespace: 'default', execution: { workflowId: runId } },
  });
  const [payload = {}] = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return payloadToJson(payload);
}

const plainText = ({ data = '' }: PayloadJson): string => Buffer.from(data, 'base64').toString();

it('decodes what the Web UI shows, for whoever may read the runs', async () => {
  expect(plainText(ofA)).not.toContain('canary');
  const plain = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'MQ==' };
  const { status, body, headers } = await api.post(
    path,
    { payloads: [plain, ofA] },
    { ...as('READER'), origin, 'x-namespace': 'default' },
  );
  expect(status).toBe(200);
  const { payloads } = body as unknown as { payloads: PayloadJson[] };
  expect(payloads[0]).toEqual(plain);
  expect(plainText(payloads[1] ?? { metadata: {} })).toContain('canary');
  expect(headers.get('access-control-allow-origin')).toBe(origin);
  expect(headers.get('cache-control')).toBe('no-store');
});

it("is a codec server for Temporal's own command line", async () => {
  const { runId } = await clientWith(['a']).start(procedureOf('return "canary"'));
  const show = async (...args: string[]): Promise<string> => {
    const shown = ['workflow', 'show', '--workflow-id', runId, '--output', 'json'];
    const address = ['--address', server.env.address];
    return (await promisify(execFile)(executablePaths().temporal, [...shown, ...address, ...args])).stdout;
  };
  const endpoint = `${api.url}/api/v1/namespaces/{namespace}/codec`;
  const auth = ['--codec-auth', `Bearer ${tokens.READER}`];
  const inputOf = (shown: string): string => {
    const [, data = ''] = /"input": \{.*?"data": "([^"]*)"/s.exec(shown) ?? [];
    return plainText({ metadata: {}, data });
  };
  expect(inputOf(await show())).not.toContain('canary');
  expect(inputOf(await show('--codec-endpoint', endpoint, ...auth))).toContain('canary');
});

it('lets the page of the Web UI ask, and no other', async () => {
  const asked = (from: string): Promise<Response> =>
    fetch(`${api.url}/api/v1${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-namespace',
      },
    });
  const allowed = (await asked(origin)).headers;
  expect(allowed.get('access-control-allow-origin')).toBe(origin);
  expect(allowed.get('access-control-allow-headers')).toContain('x-namespace');
  expect((await asked('https://evil.example.org')).headers.get('access-control-allow-origin')).toBeNull();
  const sent = await api.post(
    path,
    { payloads: [ofA] },
    { ...as('READER'), origin: 'https://evil.example.org' },
  );
  expect(sent.body).toMatchObject({ status: 403 });
});

it('leaves what it has no key for as it is, and says why where that is all', async () => {
  const both = await api.post(path, { payloads: [ofB, ofA] }, as('READER'));
  const { payloads } = both.body as unknown as { payloads: PayloadJson[] };
  expect(payloads[0]).toEqual(ofB);
  expect(plainText(payloads[1] ?? { metadata: {} })).toContain('canary');
  const one = await api.post(path, { payloads: [ofB] }, as('READER'));
  expect(one.body).toMatchObject({ status: 503, code: 'codec_failed' });
  expect(one.body['detail']).toContain('the key "b"');
});

it('is for those who may read the namespace alone, and bounds what it takes', async () => {
  const refused = async (body: unknown, headers: Record<string, string>): Promise<JsonObject> =>
    (await api.post(path, body, headers)).body;
  expect(await refused({ payloads: [ofA] }, {})).toMatchObject({ status: 401 });
  expect(await refused({ payloads: [ofA] }, as('ELSEWHERE'))).toMatchObject({ status: 404 });
  expect(await refused({ payloads: [{ data: 'no base64!' }] }, as('READER'))).toMatchObject({ status: 400 });
  expect(await refused({ payloads: Array.from({ length: 5_001 }, () => ({})) }, as('READER'))).toMatchObject({
    status: 400,
  });
  expect(await refused({ payloads: [{ data: 'A'.repeat(3_000_000) }] }, as('READER'))).toMatchObject({
    status: 413,
  });
});
