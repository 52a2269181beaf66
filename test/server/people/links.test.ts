import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signDecision } from '../../../src/authority/signed-decisions.js';
import { signLink, type LinkedRequest } from '../../../src/authority/signed-links.js';
import { generateKey, signingKeyOfPem } from '../../../src/authority/signature.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { defaultTaskQueue, workflowType } from '../../../src/contract/names.js';
import { accessOf } from '../../../src/server/access/access-of.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { startApi, unindexed, type Answered, type ApiServer } from '../../support/api-server.js';
import { linkKeys } from '../../support/link-keys.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const { key, keys, links } = linkKeys();
const week = 604_800_000;
const apiToken = 'the-token-of-dora-who-has-an-account';
let server: TestServer;
let worker: TestWorker;
let api: ApiServer;
beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { activities: { authorityKeys: keys } });
  const folder = temporaryFolder('links');
  const files = new FilePayloadStore(folder);
  const settings = readServerSettings({ tokens: [{ name: 'dora', secret: 'TOKEN' }] });
  api = await startApi(server.tactus, folder, {
    access: accessOf(settings, { env: { TOKEN: apiToken }, served: ['default'], isEmbedded: false }),
    namespaces: [{ name: 'default', tactus: server.tactus, files, signingKey: null, ...unindexed }],
    links,
  });
});
afterAll(async () => {
  await api.close();
  await worker.stop();
  await server.stop();
});

async function asked(body: string): Promise<{ run: TactusRun; request: HumanRequest }> {
  const run = await server.tactus.start(procedureOf(body), {}, { settings: { signedDecisions: true } });
  const [request] = await pendingOf(run);
  if (request === undefined) throw new Error('nothing is asked');
  return { run, request };
}

function linkTo(request: LinkedRequest, approver: string, at = Date.now(), signing = key): string {
  const asking = { approver, namespace: 'default', at };
  return signLink(request, asking, { key: signing, validMs: week }) ?? '';
}

const by = (link: string): Record<string, string> => ({ authorization: `Link ${link}` });
const look = (link: string): Promise<Answered> => api.get('/link', by(link));
const answer = (link: string, body: object): Promise<Answered> => api.post('/link/decide', body, by(link));

describe('a link', () => {
  it('shows its request however often, answers it once, and tells what has become of it', async () => {
    const { run, request } = await asked(
      'local yes = Human.approve{message = "Pay?", approvers = {"ann", "bob"}}\nreturn { yes = yes, next = "line" }',
    );
    const link = linkTo(request, 'ann');
    for (let i = 0; i < 3; i++) {
      await fetch(`${api.url}/api/v1/link`, { method: 'HEAD', headers: by(link) });
      const { status, headers, body } = await look(link);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toMatchObject({ state: 'open', approver: 'ann', request: { message: 'Pay?' } });
    }
    // GET decides nothing, whatever it says; nor does what is no answer.
    expect((await api.get('/link/decide?value=true', by(link))).status).toBe(405);
    expect((await answer(link, {})).status).toBe(400);
    expect((await answer(link, { value: true, by: 'bob' })).status).toBe(400);
    expect((await answer(link, { value: 'yes' })).body).toMatchObject({ outcome: 'invalid' });
    expect((await look(link)).body).toMatchObject({ state: 'open' });
    const form = await fetch(`${api.url}/api/v1/link/decide`, {
      ...{ method: 'POST', body: 'value=true' },
      headers: { ...by(link), 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form.status).toBe(415);
    const foreign = { ...by(link), origin: 'https://evil.example' };
    expect((await api.post('/link/decide', { value: true }, foreign)).status).toBe(403);

    const first = await answer(link, { value: true, comment: 'by mail' });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ id: request.id, outcome: 'accepted' });
    expect(await run.result()).toEqual({ yes: true, next: 'line' });
    const said = { by: 'ann', comment: 'by mail', by_verified: true };
    expect((await run.log()).execution_log[0]).toMatchObject({ result: said });
    expect((await answer(link, { value: true })).body).toMatchObject({ outcome: 'duplicate' });
    const other = await answer(link, { value: false });
    expect(other.body).toMatchObject({ outcome: 'late' });
    expect(other.status).toBe(409);
    expect((await answer(linkTo(request, 'bob'), { value: false })).body).toMatchObject({ outcome: 'late' });
    expect((await look(link)).body).toMatchObject({
      ...{ state: 'closed', request: { answer: { value: true, by: 'ann' } } },
    });
    expect((await run.log()).execution_log[0]).toMatchObject({ result: said });
  });

  it('tells the second who answers by it, while the run goes on, who was first', async () => {
    const { run, request } = await asked(
      'Human.approve{message = "Pay?"}\nreturn Human.input{message = "Why?"}',
    );
    const link = linkTo(request, 'ann');
    const [one, two] = await Promise.all([answer(link, { value: true }), answer(link, { value: false })]);
    expect([one.body['outcome'], two.body['outcome']].sort()).toEqual(['accepted', 'late']);
    expect((one.status === 409 ? one : two).body['message']).toMatch(/decided by "ann"/);
    await run.terminate();
  });

  it('counts one of several voices, which no second POST by it changes', async () => {
    const { run, request } = await asked(
      'return Human.select{message = "Which?", options = {"a", "b", "c"}, approvers = {"ann", "bob", "eve"}, quorum = 2}',
    );
    const link = linkTo(request, 'ann');
    const [one, two] = await Promise.all([answer(link, { value: 'a' }), answer(link, { value: 'b' })]);
    expect([one.body['outcome'], two.body['outcome']].sort()).toEqual(['accepted', 'late']);
    const value = one.body['outcome'] === 'accepted' ? 'a' : 'b';
    expect((await look(link)).body).toMatchObject({ state: 'voted', value });
    // A reminder has another link: it is the same person's.
    const reminder = linkTo(request, 'ann', Date.now() + 1_000);
    expect((await answer(reminder, { value: 'c' })).body).toMatchObject({ outcome: 'late' });
    expect((await answer(link, { value })).body).toMatchObject({ outcome: 'duplicate' });
    expect(await run.pending()).toMatchObject([{ votes: [{ by: 'ann', value }] }]);
    expect((await answer(linkTo(request, 'bob'), { value })).body).toMatchObject({ outcome: 'accepted' });
    expect(await run.result()).toBe(value);
  });

  it('is refused where it does not hold, and leads nowhere else', async () => {
    const { run, request } = await asked(
      'return Human.approve{message = "Pay?", approvers = {"ann"}, requester = "zoe"}',
    );
    const other = await asked('return Human.approve{message = "Pay?", approvers = {"ann"}}');
    const good = linkTo(request, 'ann');
    const stranger = signingKeyOfPem('k1', generateKey().privatePem);
    const gone = signingKeyOfPem('k0', generateKey().privatePem);
    const decision = { request: request.id, digest: request.digest, value: true, by: 'ann' };
    const { token: decided } = signDecision(decision, { namespace: 'default', key });
    const elsewhere =
      signLink(request, { approver: 'ann', namespace: 'other' }, { key, validMs: week }) ?? '';
    for (const [link, why] of [
      ['none', 'none, or was cut'],
      [good.slice(0, -4), 'none, or was cut'],
      [linkTo(request, 'ann', Date.now(), stranger), "isn't signed with the key k1"],
      [linkTo(request, 'ann', Date.now(), gone), 'has no key k0'],
      [decided.replaceAll(' ', ''), 'none, or was cut'],
      [elsewhere, 'runs of another server'],
      [apiToken, 'none, or was cut'],
    ] as const)
      for (const { status, body } of [await look(link), await answer(link, { value: true })]) {
        expect(status).toBe(401);
        expect(body).toMatchObject({
          code: 'unauthenticated',
          detail: expect.stringContaining(why) as string,
        });
      }
    // It opens nothing but its request, and is no token; a token is no link.
    for (const scheme of ['Link', 'Bearer'])
      expect((await api.get('/me', { authorization: `${scheme} ${good}` })).status).toBe(401);
    expect((await api.get('/link', { authorization: `Bearer ${apiToken}` })).status).toBe(401);

    const expired = linkTo(request, 'ann', Date.now() - week - 1_000);
    expect((await look(expired)).body).toEqual({
      ...{ state: 'expired', approver: 'ann' },
      ...{ at: expect.any(String) as string, expires_at: expect.any(String) as string },
    });
    expect((await answer(expired, { value: true })).body).toMatchObject({ outcome: 'late' });
    const standing: [string, string, string][] = [
      [linkTo({ ...request, digest: other.request.digest.replace(/^./, 'x') }, 'ann'), 'changed', 'invalid'],
      [linkTo({ ...request, created_at: '2020-01-01T00:00:00.000Z' }, 'ann'), 'gone', 'unknown'],
      [linkTo({ ...request, id: `${request.run_id}/7` }, 'ann'), 'gone', 'unknown'],
      [linkTo({ ...request, id: 'nowhere/0', run_id: 'nowhere' }, 'ann'), 'gone', 'unknown'],
      [linkTo(request, 'eve'), 'not_allowed', 'not_allowed'],
      [linkTo(request, 'zoe'), 'not_allowed', 'not_allowed'],
    ];
    for (const [link, state, outcome] of standing) {
      const { body } = await look(link);
      expect(body).toMatchObject({ state });
      expect(JSON.stringify(body)).not.toContain('Pay?');
      expect((await answer(link, { value: true })).body).toMatchObject({ outcome });
    }
    expect(await run.pending()).toHaveLength(1);

    // Who has handed it on may answer no more, nor anybody when it was taken back.
    const sign = (change: object) =>
      signDecision({ ...decision, value: null, ...change }, { namespace: 'default', key });
    await run.decide(sign({ action: 'delegate', to: 'bob' }));
    expect((await look(good)).body).toMatchObject({
      ...{ state: 'not_allowed', reason: expect.stringContaining('ask ["bob"]') as string },
    });
    expect((await answer(good, { value: true })).body).toMatchObject({ outcome: 'not_allowed' });
    const bobs = linkTo(request, 'bob');
    await run.decide(sign({ action: 'withdraw', by: 'zoe' }));
    await expect(run.result()).rejects.toThrow();
    expect((await answer(bobs, { value: true })).body).toMatchObject({ outcome: 'late' });
    expect((await look(bobs)).body).toMatchObject({ state: 'closed' });
    await other.run.terminate();
    expect((await answer(linkTo(other.request, 'ann'), { value: true })).body).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('shows no request of a later run of the same id, and answers none', async () => {
    const start = (who: string, message: string): Promise<unknown> =>
      server.client.workflow.start(workflowType, {
        ...{ workflowId: 'again', taskQueue: defaultTaskQueue },
        args: [
          {
            source: procedureOf(
              `return Human.approve{message = "${message}", approvers = {"${who}"}, context = {of = "${message}"}}`,
            ),
            settings: { signedDecisions: true },
          },
        ],
      });
    const run = server.tactus.attach('again');
    await start('bob', 'First?');
    const [first] = await waitUntil(() => run.pending().then((open) => open.length === 1 && open));
    if (first === undefined) throw new Error('nothing is asked');
    const [old, anns] = [linkTo(first, 'bob'), linkTo(first, 'ann')];
    await run.terminate();
    for (const message of ['Raise the salary of Bob?', 'First?']) {
      await start('ann', message);
      const [second] = await waitUntil(() => run.pending().then((open) => open.length === 1 && open));
      if (second === undefined) throw new Error('nothing is asked');
      const isSame = message === 'First?';
      expect((await look(old)).body).toMatchObject({ state: isSame ? 'gone' : 'changed' });
      const now = linkTo(second, 'ann');
      const said = { value: true, comment: 'between ann and hr' };
      expect((await answer(now, said)).body).toMatchObject({ outcome: 'accepted' });
      await run.result();
      expect((await look(now)).body).toMatchObject({ state: 'closed', request: { message } });
      expect((await answer(now, said)).body).toMatchObject({ outcome: 'duplicate' });
      for (const link of [old, anns]) {
        expect((await look(link)).body).toMatchObject({ state: 'gone' });
        const verdict = (await answer(link, { value: true })).body;
        expect(verdict).toMatchObject({ outcome: 'unknown' });
        expect(JSON.stringify([(await look(link)).body, verdict])).not.toMatch(/Raise|First|hr|true/);
      }
    }
  });

  it('takes a file where one is asked for, and nowhere else', async () => {
    const { run, request } = await asked('return Human.upload{message = "The invoice?"}');
    const link = linkTo(request, 'ann');
    const send = (to: string, bytes: string): Promise<Response> =>
      fetch(`${api.url}/api/v1/link/files?name=a.pdf`, {
        ...{ method: 'POST', body: bytes },
        headers: { ...by(to), 'content-type': 'application/pdf' },
      });
    const kept = (await (await send(link, '%PDF')).json()) as { value: object };
    expect(kept.value).toMatchObject({ name: 'a.pdf', size: 4, type: 'application/pdf' });
    expect((await send(link, 'x'.repeat(1_000_001))).status).toBe(413);
    expect((await answer(link, { value: kept.value })).body).toMatchObject({ outcome: 'accepted' });
    expect(await run.result()).toMatchObject({ name: 'a.pdf' });
    expect((await send(link, '%PDF')).status).toBe(403);
    const { run: no, request: other } = await asked('return Human.approve{message = "Pay?"}');
    expect((await send(linkTo(other, 'ann'), '%PDF')).status).toBe(403);
    await no.terminate();
  });

  it('may be opened and tried so often in a minute, and a server without its key takes none', async () => {
    const { run, request } = await asked('return Human.approve{message = "Pay?"}');
    const link = linkTo(request, 'ann');
    const few = await startApi(server.tactus, '/nonexistent', { links, perMinute: 40 });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await few.get('/link', by(link))).status);
    expect(statuses).toEqual([200, 200, 429]);
    await few.close();
    const none = await startApi(server.tactus, '/nonexistent');
    expect((await none.get('/link', by(link))).body).toMatchObject({
      ...{
        code: 'unauthenticated',
        detail: expect.stringContaining('authority.links is not configured') as string,
      },
    });
    await none.close();
    await run.terminate();
    await waitUntil(async () => (await look(link)).body['state'] === 'gone');
  });
});
