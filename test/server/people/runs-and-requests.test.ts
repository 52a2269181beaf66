import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import type { LogPage } from '../../../src/contract/runs/run-view.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
const ns = '/namespaces/default';
const review = `
Procedure {
  input = { topic = field.string{ required = true } },
  function(input)
    print("looks at " .. input.topic)
    state.topic = input.topic
    local yes = Human.approve({ message = "Publish " .. input.topic .. "?", context = { by = "model" } })
    return { published = yes }
  end,
}`;
let folder: string;
let api: ApiServer;

beforeAll(async () => {
  folder = temporaryFolder('api');
  writeFileSync(join(folder, 'review.tac'), review);
  writeFileSync(join(folder, 'broken.tac'), 'Procedure { function( end }');
  api = await startApi(server.tactus, folder);
});
afterAll(() => api.close());

/** Until it is asked something. */
async function waiting(run: string): Promise<void> {
  await waitUntil(
    async () =>
      (await api.get(`${ns}/runs/${encodeURIComponent(run)}`)).body['status'] === 'waiting_for_human',
  );
}

describe('runs', () => {
  it('have labels, by which they are found', async () => {
    const start = { procedure: 'review', input: { topic: 'x' }, run_id: 'labelled' };
    const labels = { team: 'crm', note: 'a b' };
    expect((await api.post(`${ns}/runs`, { ...start, labels: { team: 7 } })).status).toBe(400);
    expect((await api.post(`${ns}/runs`, { ...start, labels: { 'no key': 'x' } })).status).toBe(400);
    expect((await api.get(`${ns}/runs?label=team`)).status).toBe(400);
    expect((await api.post(`${ns}/runs`, { ...start, labels })).status).toBe(201);
    const found = async (query: string) => (await api.get(`${ns}/runs?${query}`)).body['runs'];
    await waitUntil(async () => ((await found('label=team=crm')) as unknown[]).length === 1);
    expect(await found('label=team=crm&label=note=a%20b')).toMatchObject([{ run_id: 'labelled', labels }]);
    expect(await found('label=team=crm&label=note=c')).toEqual([]);
    expect((await api.get(`${ns}/runs/labelled`)).body).toMatchObject({ labels });
    await api.post(`${ns}/runs/labelled/terminate`, {});
  });

  it('tell what they were forked from, and are found by it', async () => {
    const start = { procedure: 'review', input: { topic: 'x' }, run_id: 'whole' };
    expect((await api.post(`${ns}/runs`, start)).status).toBe(201);
    await waiting('whole');
    const { body } = await api.get(`${ns}/runs/whole`);
    const [asked] = body['pending'] as { position: string }[];
    const at = asked?.position ?? '';
    await server.tactus.attach('whole').decide({ request: `whole/${at}`, value: true });
    await waitUntil(async () => (await api.get(`${ns}/runs/whole`)).body['status'] === 'completed');
    await server.tactus.fork('whole', { at, runId: 'part' });
    await waiting('part');
    const fork = { run_id: 'part', forked_from: { run_id: 'whole', at } };
    expect((await api.get(`${ns}/runs/part`)).body).toMatchObject(fork);
    const found = async (run: string) => (await api.get(`${ns}/runs?forked_from=${run}`)).body['runs'];
    await waitUntil(async () => ((await found('whole')) as unknown[]).length === 1);
    expect(await found('whole')).toMatchObject([fork]);
    expect(await found('part')).toEqual([]);
    for (const run of ['part', 'whole']) await api.post(`${ns}/runs/${run}/terminate`, {});
  });

  it('are started by name, read, answered and done', async () => {
    const started = await api.post(`${ns}/runs`, {
      procedure: 'review',
      input: { topic: 'tea' },
      run_id: 'tea',
    });
    expect(started).toMatchObject({ status: 201, body: { run_id: 'tea', procedure: 'review' } });
    await waiting('tea');
    const view = await api.get(`${ns}/runs/tea`);
    expect(view.body).toMatchObject({ run_id: 'tea', state: { topic: 'tea' }, stuck: null, checkpoints: 0 });
    expect((await api.get(`${ns}/runs/tea/state`)).body).toEqual({ topic: 'tea' });
    expect((await api.get(`${ns}/runs/tea/printed`)).body).toEqual({
      shown: [{ kind: 'print', text: 'looks at tea' }],
      next: 1,
    });
    const asked = await api.get(`${ns}/requests/tea%2F0`);
    expect(asked.body).toMatchObject({
      state: 'open',
      request: { id: 'tea/0', procedure: 'review', message: 'Publish tea?' },
    });
    const { digest } = asked.body['request'] as JsonObject;
    const decided = await api.post(`${ns}/requests/tea%2F0/decide`, { value: true, by: 'ann', digest });
    expect(decided).toMatchObject({ status: 200, body: { id: 'tea/0', outcome: 'accepted' } });
    await waitUntil(async () => (await api.get(`${ns}/runs/tea`)).body['status'] === 'completed');
    expect((await api.get(`${ns}/runs/tea`)).body['output']).toEqual({ published: true });
    expect((await api.get(`${ns}/runs/tea/log`)).body).toMatchObject({
      status: 'completed',
      execution_log: [{ position: '0', type: 'hitl_approval', result: { value: true, by: 'ann' } }],
      next: null,
    });
    expect((await api.get(`${ns}/requests/tea%2F0`)).body).toMatchObject({
      state: 'closed',
      request: { id: 'tea/0', kind: 'approval', answer: { value: true, by: 'ann' }, error: null },
    });
  });

  it('that began again have a log and lines for each pass, from the newest to the first', async () => {
    const source = procedureOf(`
      state.n = (state.n or 0) + 1
      print("pass " .. state.n)
      checkpoint(function() return state.n end)
      Human.input("Word?")
      if state.n < 3 then Procedure.continue_as_new() end`);
    const run = await server.tactus.start(source, {}, { runId: 'passes' });
    for (const position of [0, 3, 6].map((first) => first + 1)) {
      await waitUntil(async () => (await run.pending())[0]?.id === `passes/${position}`);
      await run.decide({ request: `passes/${position}`, value: 'go' });
    }
    await run.result();
    const seen = [];
    let query = '';
    for (let more = true; more;) {
      const { body, status } = await api.get(`${ns}/runs/passes/log?from=0${query}`);
      expect(status).toBe(200);
      const { pass, execution_log: log } = body as unknown as LogPage;
      const { body: printed } = await api.get(`${ns}/runs/passes/printed?from=0${query}`);
      seen.push([pass?.number ?? 0, ...log.map(({ position }) => position), printed['shown']]);
      more = pass?.execution !== undefined;
      query = `&execution=${pass?.execution}`;
    }
    expect(seen).toEqual([
      [2, '6', '7', [{ kind: 'print', text: 'pass 3' }]],
      [1, '3', '4', [{ kind: 'print', text: 'pass 2' }]],
      [0, '0', '1', [{ kind: 'print', text: 'pass 1' }]],
    ]);
    // An execution of no run, one of another run, and no id of one.
    const another = await server.tactus.start(procedureOf('return 1'));
    const { runId: other } = await another.handle.describe();
    for (const [execution, status] of [
      [randomUUID(), 404],
      [other, 404],
      ['newest', 400],
    ] as const)
      expect((await api.get(`${ns}/runs/passes/log?execution=${execution}`)).status).toBe(status);
  });

  it('get integers past 2^53 as the texts of their digits, or not at all', async () => {
    const started = (topic: string, run: string) =>
      api.post(`${ns}/runs`, `{"procedure": "review", "input": {"topic": ${topic}}, "run_id": "${run}"}`);
    expect((await started('9007199254740993', 'digits')).status).toBe(201);
    await waitUntil(async () => (await server.tactus.attach('digits').pending()).length === 1);
    expect((await api.get(`${ns}/requests/digits%2F0`)).body).toMatchObject({
      request: { message: 'Publish 9007199254740993?' },
    });
    await server.tactus.attach('digits').terminate();
    expect(await started('1e400', 'infinite')).toMatchObject({ status: 400, body: { code: 'usage' } });
  });

  it('are the same for the same id, source and input', async () => {
    const start = { procedure: 'review', input: { topic: 'once' }, run_id: 'once' };
    expect((await api.post(`${ns}/runs`, start)).status).toBe(201);
    expect((await api.post(`${ns}/runs`, start)).status).toBe(201);
    const other = await api.post(`${ns}/runs`, { ...start, input: { topic: 'twice' } });
    expect(other).toMatchObject({ status: 409, body: { code: 'run_conflict' } });
    await server.tactus.attach('once').terminate();
  });

  it('that could never run are refused with nothing started', async () => {
    const refused = async (body: unknown) => {
      const { status, body: problem, headers } = await api.post(`${ns}/runs`, body);
      expect(headers.get('content-type')).toBe('application/problem+json');
      return [status, problem['code']];
    };
    expect(await refused({ procedure: 'review', run_id: 'never' })).toEqual([422, 'input_invalid']);
    expect(await refused({ procedure: 'broken', run_id: 'never' })).toEqual([422, 'source_invalid']);
    expect(await refused({ procedure: 'nobody', run_id: 'never' })).toEqual([404, 'source_not_found']);
    expect(await refused({ procedure: '../review', run_id: 'never' })).toEqual([404, 'source_not_found']);
    expect(await refused({ procedure: 'review', input: [], run_id: 'never' })).toEqual([400, 'usage']);
    expect(await refused({ procedure: 'review', input: { topic: 'x' }, run_id: 'a\nb' })).toEqual([
      400,
      'usage',
    ]);
    expect(await refused({ procedure: 'review', input: { topic: 'x' }, run_id: 'x'.repeat(1_001) })).toEqual([
      400,
      'usage',
    ]);
    expect(await refused({ procedure: 'review', input: { topic: 'x' }, timeout: 'soon' })).toEqual([
      400,
      'usage',
    ]);
    expect(await refused({ procedure: 'review', input: { topic: 'x' }, source: {} })).toEqual([400, 'usage']);
    expect(await refused('{"procedure":')).toEqual([400, 'usage']);
    expect((await api.get(`${ns}/runs/never`)).body).toMatchObject({ status: 404, code: 'run_not_found' });
  });

  it('are cancelled and terminated, once', async () => {
    for (const [verb, status] of [
      ['cancel', 'cancelled'],
      ['terminate', 'terminated'],
    ] as const) {
      await api.post(`${ns}/runs`, { procedure: 'review', input: { topic: verb }, run_id: verb });
      await waiting(verb);
      const reason = `${verb}, says ann`;
      expect((await api.post(`${ns}/runs/${verb}/${verb}`, { reason })).status).toBe(202);
      await waitUntil(async () => (await api.get(`${ns}/runs/${verb}`)).body['status'] === status);
      expect((await api.post(`${ns}/runs/${verb}/${verb}`)).body).toMatchObject({
        status: 409,
        code: 'run_conflict',
      });
      const { events = [] } = await server.tactus.attach(verb).handle.fetchHistory();
      expect(JSON.stringify(events)).toContain(reason);
    }
    expect((await api.post(`${ns}/runs/nobody/cancel`)).status).toBe(404);
  });

  it('are listed page by page, and found by a text', async () => {
    for (const id of ['list-1', 'list-2', 'list-3'])
      await server.tactus.start(procedureOf('return 1'), {}, { runId: id });
    const page = async (query: string) =>
      (await api.get(`${ns}/runs?${query}`)).body as { runs: JsonObject[]; next: string | null };
    await waitUntil(async () => (await page('prefix=list-&status=completed')).runs.length === 3);
    const first = await page('prefix=list-&limit=2');
    const second = await page(`prefix=list-&limit=2&after=${first.next ?? ''}`);
    expect([...first.runs, ...second.runs].map(({ run_id }) => run_id).sort()).toEqual([
      'list-1',
      'list-2',
      'list-3',
    ]);
    expect(second.next).toBe(null);
    expect((await page('q=IST-2')).runs.map(({ run_id }) => run_id)).toEqual(['list-2']);
    for (const wrong of ['limit=x', 'limit=1000', 'status=odd', 'after=nothing', 'prefix=%00'])
      expect((await api.get(`${ns}/runs?${wrong}`)).status).toBe(400);
  });

  it('may have any id', async () => {
    const id = 'a/b%2Fc \'d" é+?#&';
    await server.tactus.start(procedureOf('return 7'), {}, { runId: id });
    await server.tactus.attach(id).result();
    expect((await api.get(`${ns}/runs/${encodeURIComponent(id)}`)).body).toMatchObject({
      run_id: id,
      output: 7,
    });
  });
});

describe('requests', () => {
  it('are listed over all runs, with filters, page by page, and the answered ones are gone', async () => {
    const ask = (message: string, more = '') =>
      procedureOf(`return Human.approve({ message = "${message}" ${more} })`);
    await server.tactus.start(ask('inbox: first, of Ann', ', approvers = {"ann"}'), {}, { runId: 'inbox-1' });
    await server.tactus.start(procedureOf('return Human.input("inbox: second")'), {}, { runId: 'inbox-2' });
    await server.tactus.start(ask('inbox: third'), {}, { runId: 'inbox-3' });
    const list = async (query: string) => {
      const { body } = await api.get(`${ns}/requests?q=inbox&${query}`);
      return body as { requests: JsonObject[]; next: string | null };
    };
    const ids = async (query: string) => (await list(query)).requests.map(({ id }) => id);
    await waitUntil(async () => (await ids('')).length === 3);
    expect((await ids('')).sort()).toEqual(['inbox-1/0', 'inbox-2/0', 'inbox-3/0']);
    expect(await ids('kind=input')).toEqual(['inbox-2/0']);
    expect((await ids('approver=bob')).sort()).toEqual(['inbox-2/0', 'inbox-3/0']);
    expect(await ids('run=inbox-3')).toEqual(['inbox-3/0']);
    expect(await ids('asked_before=2020-01-01T00:00:00Z')).toEqual([]);
    const first = await list('limit=2');
    expect(first.requests).toHaveLength(2);
    expect((await list(`limit=2&after=${first.next ?? ''}`)).requests).toHaveLength(1);
    expect((await api.get(`${ns}/requests?q=OF ANN`)).body['requests']).toMatchObject([{ id: 'inbox-1/0' }]);
    expect((await api.post(`${ns}/requests/inbox-3%2F0/decide`, { value: true })).status).toBe(200);
    expect((await ids('')).sort()).toEqual(['inbox-1/0', 'inbox-2/0']);
  });

  it('of workflows that are no runs are not there, and those hear nothing', async () => {
    const foreign = { taskQueue: 'nobody', workflowId: 'foreign', args: [] };
    const handle = await server.client.workflow.start('other', foreign);
    expect((await api.post(`${ns}/requests/foreign%2F0/decide`, { value: true })).body['outcome']).toBe(
      'unknown',
    );
    for (const path of ['runs/foreign', 'runs/foreign/log', 'requests/foreign%2F0', 'runs/foreign/events'])
      expect((await api.get(`${ns}/${path}`)).status).toBe(404);
    for (const path of ['cancel', 'terminate'])
      expect((await api.post(`${ns}/runs/foreign/${path}`)).status).toBe(404);
    expect((await api.post(`${ns}/runs/foreign/events`, { name: 'x' })).status).toBe(404);
    expect((await handle.describe()).historyLength).toBe(2);
    await handle.terminate();
  });

  it('have one verdict for each decision', async () => {
    const decide = async (request: string, body: JsonObject, verb = 'decide') => {
      const { status, body: verdict } = await api.post(
        `${ns}/requests/${encodeURIComponent(request)}/${verb}`,
        body,
      );
      return [status, verdict['outcome']];
    };
    await server.tactus.start(
      procedureOf(`
        local a = Human.approve({ message = "one?", approvers = {"ann", "bob"}, requester = "zoe" })
        local b = Human.select({ message = "which?", options = {"red", "blue"} })
        return { a = a, b = b }`),
      {},
      { runId: 'verdicts' },
    );
    await waiting('verdicts');
    expect(await decide('verdicts/0', { value: true, by: 'eve' })).toEqual([403, 'not_allowed']);
    expect(await decide('verdicts/0', { value: true, by: 'zoe' })).toEqual([403, 'not_allowed']);
    expect(await decide('verdicts/0', { value: true })).toEqual([403, 'not_allowed']);
    for (const value of ['true', 1, 'yes', null, {}])
      expect(await decide('verdicts/0', { value, by: 'ann' })).toEqual([422, 'invalid']);
    expect(await decide('verdicts/0', { value: true, by: 'ann', digest: 'other' })).toEqual([422, 'invalid']);
    expect(await decide('verdicts/1', { value: 'red' })).toEqual([404, 'unknown']);
    expect(await decide('verdicts/1', { value: 'red', early: true })).toEqual([202, 'early']);
    expect(await decide('verdicts/0', { to: 'cleo', by: 'bob', comment: 'away' }, 'delegate')).toEqual([
      200,
      'accepted',
    ]);
    expect(await decide('verdicts/0', { value: true, by: 'cleo' })).toEqual([200, 'accepted']);
    expect(await decide('verdicts/0', { value: true, by: 'cleo' })).toEqual([200, 'duplicate']);
    expect(await decide('verdicts/0', { value: false, by: 'ann' })).toEqual([409, 'late']);
    await waitUntil(async () => (await api.get(`${ns}/runs/verdicts`)).body['status'] === 'completed');
    expect(await server.tactus.attach('verdicts').result()).toEqual({ a: true, b: 'red' });
    expect(await decide('verdicts/1', { value: 'green' })).toEqual([409, 'late']);
    expect(await decide('nobody/0', { value: true })).toEqual([404, 'unknown']);
    expect(await decide('verdicts/9', { value: true })).toEqual([404, 'unknown']);
    expect(await decide('odd', { value: true })).toEqual([404, 'unknown']);
  });

  it('are taken back by who asks', async () => {
    await server.tactus.start(
      procedureOf('return pcall(Human.approve, { message = "one?", requester = "zoe" })'),
      {},
      { runId: 'back' },
    );
    await waiting('back');
    expect((await api.post(`${ns}/requests/back%2F0/withdraw`, { by: 'ann' })).status).toBe(403);
    expect((await api.post(`${ns}/requests/back%2F0/withdraw`, { by: 'zoe' })).body['outcome']).toBe(
      'accepted',
    );
  });

  it('take no body that is none', async () => {
    await server.tactus.start(procedureOf('return Human.input("say")'), {}, { runId: 'bodies' });
    await waiting('bodies');
    const path = `${ns}/requests/bodies%2F0/decide`;
    const status = async (body: unknown, headers = {}) => (await api.post(path, body, headers)).status;
    expect(await status({})).toBe(400);
    expect(await status('')).toBe(400);
    expect(await status('[]')).toBe(400);
    expect(await status({ value: 'x', odd: 1 })).toBe(400);
    expect(await status({ value: 'x', request: 'other/0' })).toBe(400);
    expect(await status({ value: 'x', by: '' })).toBe(400);
    expect(await status({ value: 'x', by: 'a\u0000b' })).toBe(400);
    expect(await status('{"value":"x","by":"\\ud800"}')).toBe(400);
    expect(await status(`{"value":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)).toBe(400);
    expect(await status({ value: 'x', comment: 'c'.repeat(2_000_000) })).toBe(413);
    expect(await status({ value: 'x', comment: 'c'.repeat(1_000_000) })).toBe(422);
    expect(await status({ value: 'x' }, { 'content-type': 'text/plain' })).toBe(415);
    const hostile = '\u001b[2J<script>\u202e';
    const taken = await api.post(
      path,
      '{"value":"x","comment":' + JSON.stringify(hostile) + ',"__proto__":null}',
    );
    expect(taken.status).toBe(400);
    expect(await status({ value: { __proto__: 1, text: hostile } })).toBe(422);
    expect(await status({ value: hostile, comment: hostile, by: 'ann' })).toBe(200);
    expect(await server.tactus.attach('bodies').result()).toBe(hostile);
  });

  it('of no run are not there', async () => {
    for (const id of ['nobody/0', 'odd', '/0', 'list-1/0'])
      expect((await api.get(`${ns}/requests/${encodeURIComponent(id)}`)).body).toMatchObject({
        status: 404,
        code: 'request_unknown',
      });
  });
});

it('says what it isn’t asked', async () => {
  expect((await api.get('/nothing')).body).toMatchObject({ status: 404, code: 'usage' });
  expect((await api.get('/namespaces/other/runs')).body).toMatchObject({ status: 404 });
  expect((await api.get('/me')).body).toMatchObject({ name: null, authentication: ['trusted-namespace'] });
  expect(api.troubles).toEqual([]);
});
