import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signLink } from '../../../src/authority/signed-links.js';
import { accessOf } from '../../../src/server/access/access-of.js';
import { AuditFile, type AuditEntry } from '../../../src/server/audit/audit-log.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { startApi, unindexed, type ApiServer } from '../../support/api-server.js';
import { linkKeys } from '../../support/link-keys.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { writeFileSync } from 'node:fs';

const env = { ANN: 'the-token-of-ann-who-may-all', EVE: 'the-token-of-eve-who-only-decides' };
const ns = '/namespaces/default';
const { key, keys, links } = linkKeys();
const folder = temporaryFolder('audit');
const file = join(folder, 'state', 'audit.jsonl');
let server: TestServer;
let worker: TestWorker;
let api: ApiServer;
let log: AuditFile;

beforeAll(async () => {
  writeFileSync(join(folder, 'ask.tac'), 'return Human.approve{message = "Pay?", approvers = {"ann"}}');
  const settings = readServerSettings({
    tokens: [
      { name: 'ann', secret: 'ANN' },
      { name: 'eve', secret: 'EVE', roles: ['read', 'decide'] },
    ],
  });
  server = await startDevServer();
  worker = await startWorker(server, { activities: { authorityKeys: keys } });
  log = new AuditFile(file, (problem) => expect(problem).toBe(''));
  api = await startApi(server.tactus, folder, {
    access: accessOf(settings, { env, served: ['default'], isEmbedded: false }),
    namespaces: [{ name: 'default', tactus: server.tactus, files: null, signingKey: null, ...unindexed }],
    ...{ links, audit: log },
  });
});
afterAll(async () => {
  await api.close();
  await worker.stop();
  await server.stop();
});

const as = (who: keyof typeof env) => ({ authorization: `Bearer ${env[who]}` });

/** What was written since the last time. */
let read = 0;
async function written(): Promise<AuditEntry[]> {
  await log.close();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const entries = lines.slice(read).map((line) => JSON.parse(line) as AuditEntry);
  read = lines.length;
  return entries;
}

async function identitiesOf(run: string): Promise<string[]> {
  const { events = [] } = await server.tactus.attach(run).handle.fetchHistory();
  return (events ?? []).flatMap((event) =>
    [
      ...(event.workflowExecutionStartedEventAttributes?.identity ?? '').split('\n'),
      event.workflowExecutionSignaledEventAttributes?.identity ?? '',
      event.workflowExecutionCancelRequestedEventAttributes?.identity ?? '',
      event.workflowExecutionTerminatedEventAttributes?.identity ?? '',
      event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.meta?.identity ?? '',
    ].filter((identity) => identity !== ''),
  );
}

it('history and log say who started, answered and ended a run', async () => {
  const start = (run_id: string) => api.post(`${ns}/runs`, { procedure: 'ask', run_id }, as('ANN'));
  await start('a');
  const { memo } = await server.tactus.attach('a').handle.describe();
  expect(memo).toMatchObject({ started_by: 'ann' });
  await pendingOf(server.tactus.attach('a'));
  const decide = (who: keyof typeof env) => api.post(`${ns}/requests/a%2F0/decide`, { value: true }, as(who));
  await decide('EVE');
  await decide('ANN');
  await server.tactus.attach('a').result();
  expect(await identitiesOf('a')).toEqual(['http:token:ann', 'http:token:ann']);
  const of = { who: 'ann', mode: 'token', from: '127.0.0.1', namespace: 'default' };
  const request = 'a/0';
  expect(await written()).toEqual([
    {
      ...of,
      at: expect.any(String) as string,
      what: `POST /api/v1${ns}/runs`,
      run: 'a',
      status: 201,
      outcome: 'done',
    },
    expect.objectContaining({ who: 'eve', request, status: 403, outcome: 'not_allowed' }),
    expect.objectContaining({ ...of, request, status: 200, outcome: 'accepted' }),
  ]);

  for (const run of ['b', 'c', 'd']) await start(run);
  await api.post(`${ns}/runs/b/events`, { name: 'paid', value: 1 }, as('ANN'));
  await api.post(`${ns}/runs/b/terminate`, {}, as('ANN'));
  await api.post(`${ns}/runs/c/cancel`, {}, as('ANN'));
  await api.post(`${ns}/runs/d/cancel`, {}, as('EVE'));
  await server.tactus
    .attach('c')
    .result()
    .catch(() => undefined);
  expect(await identitiesOf('b')).toEqual(Array(3).fill('http:token:ann'));
  expect(await identitiesOf('c')).toEqual(Array(2).fill('http:token:ann'));
  expect(await identitiesOf('d')).toEqual(['http:token:ann']);
  expect((await written()).slice(3)).toMatchObject([
    { who: 'ann', run: 'b', status: 202, outcome: 'done' },
    { who: 'ann', run: 'b', status: 202, outcome: 'done' },
    { who: 'ann', run: 'c', status: 202, outcome: 'done' },
    { who: 'eve', run: 'd', status: 403, outcome: 'forbidden' },
  ]);
  await server.tactus.attach('d').terminate();
});

it('who answers by a link is named, too', async () => {
  const source = procedureOf('return Human.approve{message = "Pay?"}');
  const run = await server.tactus.start(source, {}, { runId: 'linked', settings: { signedDecisions: true } });
  const [request] = await pendingOf(run);
  if (request === undefined) throw new Error('nothing is asked');
  const link = signLink(request, { approver: 'zoe', namespace: 'default' }, { key, validMs: 60_000 }) ?? '';
  await api.post('/link/decide', { value: true }, { authorization: `Link ${link}` });
  await run.result();
  expect((await identitiesOf('linked')).at(-1)).toBe('http:link:zoe');
  const [entry] = await written();
  expect(entry).toMatchObject({
    who: 'zoe',
    mode: 'link',
    run: 'linked',
    request: 'linked/0',
    outcome: 'accepted',
  });
  // A token or a link is nothing that others may read.
  expect(readFileSync(file, 'utf8')).not.toContain(link);
  expect(readFileSync(file, 'utf8')).not.toContain(env.ANN);
  expect(statSync(file).mode & 0o077).toBe(0);
});

it('what is refused is written, what is only read is not, and no text makes a line of its own', async () => {
  await api.get('/me');
  await api.get('/me', { authorization: 'Bearer wrong', 'x-forwarded-for': '192.0.2.7' });
  await api.get(`${ns}/runs`, as('EVE'));
  await api.post('/session', { token: 'wrong' });
  await api.post('/session', { token: env.EVE });
  await api.post(`${ns}/runs/a%0A%7B%22who%22%3A%22eve%22%7D/cancel`, {}, as('EVE'));
  await api.get('/link', { authorization: 'Link none' });
  const nobody = { who: null, mode: null, status: 401, outcome: 'unauthenticated' };
  const entries = await written();
  expect(entries).toMatchObject([
    { ...nobody, what: 'GET /api/v1/me' },
    { ...nobody, forwarded_for: '192.0.2.7' },
    { ...nobody, what: 'POST /api/v1/session' },
    { who: 'eve', what: 'POST /api/v1/session', outcome: 'done' },
    { who: 'eve', run: 'a\n{"who":"eve"}', status: 403 },
    { ...nobody, what: 'GET /api/v1/link' },
  ]);
});

it('strangers don’t fill the disk, nor hide what others do', async () => {
  for (let i = 0; i < 200; i++) await api.get('/me');
  await api.post(`${ns}/runs/nowhere/cancel`, {}, as('ANN'));
  const entries = await written();
  expect(entries.length).toBeLessThan(125);
  const last = entries.at(-1);
  expect(last).toMatchObject({ who: 'ann', run: 'nowhere', outcome: 'run_not_found' });
  expect(entries.length - 1 + (last?.left_out ?? 0)).toBe(200);
});
