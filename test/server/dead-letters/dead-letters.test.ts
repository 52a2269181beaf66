import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { readGraphState } from '../../../src/client/graphs/graph-state.js';
import { deadLetterType } from '../../../src/contract/names.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Role } from '../../../src/server/access/identity.js';
import { Sessions } from '../../../src/server/access/authenticate.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const own = serverWithProvider();
const letters = '/namespaces/default/dead-letters';
let worker: TestWorker | null = null;
let receiver: MessageReceiver;
let api: ApiServer;

beforeAll(async () => {
  api = await startApi(own.server.tactus, temporaryFolder('dead-letters'));
});
afterAll(() => api.close());
beforeEach(async () => {
  receiver = await startReceiver();
  const outbox = { note: { url: `${receiver.url}/note` }, gone: { url: `${receiver.url}/gone` } };
  worker = await startWorker(own.server, { activities: { env: own.env, outbox } });
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
  await receiver.close();
});

const main = (text: string): ProcedureSource => ({ entry: 'main.tac', files: { 'main.tac': text } });
const pathOf = (id: string): string => `${letters}/${encodeURIComponent(id)}`;
const idsIn = (body: JsonObject): unknown[] => (body['dead_letters'] as JsonObject[]).map(({ id }) => id);
const listed = async (query: string): Promise<unknown[]> =>
  idsIn((await api.get(`${letters}?${query}`)).body);
const textOf = (body: JsonObject): string => (body['messages'] as JsonObject[]).at(-1)?.['content'] as string;
const asked = (): unknown[] => own.provider.requests.map(({ body }) => textOf(body));

/** Fails, and is over. */
const failed = async (run: TactusRun): Promise<void> => {
  await run.result().then(
    () => expect.unreachable(),
    () => undefined,
  );
};

const models = `
  helper = Agent { model = "openai/gpt-5-mini", system_prompt = "s", retries = 0 }
  Procedure { output = { said = field.string{} }, function()
    local first = helper({ message = "one" })
    local second = helper({ message = "two" })
    return { said = first.output .. " " .. second.output }
  end }`;

describe('a call that gave up', () => {
  const refused = { status: 400, body: { error: { message: 'no such thing' } } };

  it('is listed and shown, and requeued it succeeds with no call paid twice', async () => {
    own.provider.reply({ text: 'hello' }, refused);
    const run = await own.server.tactus.start(main(models), {}, { runId: 'two-calls' });
    await failed(run);
    const [id] = (await listed('run=two-calls')) as string[];
    const shown = await api.get(pathOf(id ?? ''));
    expect(shown).toMatchObject({
      status: 200,
      body: {
        ...{ id, kind: 'call', state: 'dead', run_id: 'two-calls', procedure: 'main', run_status: 'failed' },
        ...{
          type: 'model_call',
          attempts: 1,
          requeued_as: null,
          dropped: null,
          source: { file: 'main.tac' },
        },
        error: { code: 'model_call_failed', message: expect.stringContaining('no such thing') as string },
      },
    });
    expect(asked()).toEqual(['one', 'two']);

    own.provider.reply({ text: 'world' });
    const requeued = await api.post(`${pathOf(id ?? '')}/requeue`);
    expect(requeued).toMatchObject({ status: 202, body: { id, state: 'requeued' } });
    const other = requeued.body['requeued_as'] as string;
    expect(await own.server.tactus.attach(other).result()).toEqual({ said: 'hello world' });
    expect(asked()).toEqual(['one', 'two', 'two']);
    // A second time is the same, and nothing is asked again.
    const again = await api.post(`${pathOf(id ?? '')}/requeue`);
    expect(again).toMatchObject({ status: 202, body: { state: 'requeued', requeued_as: other } });
    expect(asked()).toHaveLength(3);
    expect(await listed('run=two-calls')).toEqual([]);
    expect(await listed('run=two-calls&all=true')).toEqual([id]);
    expect((await api.post(`${pathOf(id ?? '')}/drop`)).body).toMatchObject({ code: 'requeue_refused' });
    await soundExecutions(own.server.client, own.server.tactus.attach(other));
  });

  it('keeps what succeeded beside it, before and after it', async () => {
    const nodes = ['a', 'b', 'c'].map(
      (name) =>
        `${name} = function() return { writes = { notes = { helper({ message = "${name}" }).output } } } end`,
    );
    const graph = `
      helper = Agent { model = "openai/gpt-5-mini", system_prompt = "s", retries = 0 }
      main = Graph { channels = { notes = Graph.append }, entrypoint = "begin", nodes = {
        begin = function() return { next = { "a", "b", "c" } } end, ${nodes.join(', ')} } }`;
    own.provider.reply(({ body }) => {
      const text = textOf(body);
      return text === 'b' ? { text } : refused;
    });
    const run = await own.server.tactus.start(main(graph), {}, { runId: 'beside' });
    await failed(run);
    expect(asked().sort()).toEqual(['a', 'b', 'c']);
    own.provider.reply(({ body }) => ({
      text: textOf(body),
    }));
    const [id = ''] = (await listed('run=beside')) as string[];
    const requeued = await api.post(`${pathOf(id)}/requeue`);
    const other = own.server.tactus.attach(requeued.body['requeued_as'] as string);
    expect(await other.result()).toEqual({ notes: ['a', 'b', 'c'] });
    expect(asked().slice(3).sort()).toEqual(['a', 'c']);
  });

  it('is refused where what succeeded after it would be done again, and is none where it was handled', async () => {
    const handled = `
      helper = Agent { model = "openai/gpt-5-mini", system_prompt = "s", retries = 0 }
      Procedure { input = { fails = field.boolean{} }, function(input)
        local ok, problem = pcall(helper, { message = "one" })
        helper({ message = "instead" })
        if input.fails then error(problem) end
        return {}
      end }`;
    own.provider.reply(refused, { text: 'x' });
    await (await own.server.tactus.start(main(handled), { fails: false }, { runId: 'handled' })).result();
    expect(await listed('run=handled&all=true')).toEqual([]);
    own.provider.reply(refused, { text: 'x' });
    await failed(await own.server.tactus.start(main(handled), { fails: true }, { runId: 'raised' }));
    const [id = ''] = (await listed('run=raised')) as string[];
    const answer = await api.post(`${pathOf(id)}/requeue`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'requeue_refused' } });
    expect(answer.body['detail']).toContain('tactus-temporal fork raised --at');
    expect(asked()).toHaveLength(4);
    const dropped = await api.post(`${pathOf(id)}/drop`, { reason: 'not wanted' });
    expect(dropped).toMatchObject({
      status: 200,
      body: { state: 'dropped', dropped: { reason: 'not wanted' } },
    });
    expect(await listed('run=raised')).toEqual([]);
    expect((await api.get(pathOf(id))).body).toMatchObject({
      state: 'dropped',
      dropped: { reason: 'not wanted' },
    });
  });

  it('of a run that failed by a child is refused, and the child says how', async () => {
    const source = {
      entry: 'main.tac',
      files: {
        'main.tac': 'Procedure { function() return { got = Procedure.run("child.tac", {}) } end }',
        'child.tac': models,
      },
    };
    own.provider.reply({ text: 'hello' }, refused);
    await failed(await own.server.tactus.start(source, {}, { runId: 'parent' }));
    const [id = ''] = (await listed('run=parent')) as string[];
    expect(id).toBe('parent/0');
    const answer = await api.post(`${pathOf(id)}/requeue`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'requeue_refused' } });
    const [ofChild = ''] = (await listed(`run=${encodeURIComponent('parent/0')}`)) as string[];
    expect(ofChild).toMatch(/^parent\/0\/1\./);
  });
});

describe('an intent', () => {
  const graph = (types: string[], rest = ''): ProcedureSource =>
    main(`main = Graph { channels = { step = Graph.last }, entrypoint = "send", nodes = {
      send = function()
        return { intents = { ${types.map((type, i) => `{ type = "${type}", payload = { n = ${i} } }`).join(', ')} }${rest} }
      end,
      ask = function() Graph.interrupt("ask", {}) return {} end } }`);
  const statuses = async (run: TactusRun): Promise<unknown[]> =>
    (await readGraphState(run)).intents.map(({ status, attempts }) => [status, attempts]);

  it('that failed is sent under its own key, also while its run is open', async () => {
    receiver.byPath['/gone'] = { status: 400, body: 'no' };
    const run = await own.server.tactus.start(
      graph(['gone', 'note'], ', next = "ask"'),
      {},
      { runId: 'open' },
    );
    await waitUntil(async () => (await readGraphState(run)).intents[1]?.status === 'sent');
    expect(await listed('run=open')).toEqual(['open/intent/1/0']);
    delete receiver.byPath['/gone'];
    const requeued = await api.post(`${pathOf('open/intent/1/0')}/requeue`);
    expect(requeued).toMatchObject({
      status: 202,
      body: { state: 'requeued', key: 'open/1/0', payload: { n: 0 } },
    });
    await waitUntil(async () => (await api.get(pathOf('open/intent/1/0'))).body['state'] === 'sent');
    expect(
      receiver.received.map(({ path, headers, status }) => [path, headers['idempotency-key'], status]),
    ).toEqual([
      ['/gone', 'open/1/0', 400],
      ['/note', 'open/1/1', 200],
      ['/gone', 'open/1/0', 200],
    ]);
    expect(await statuses(run)).toEqual([
      ['sent', 2],
      ['sent', 1],
    ]);
    // Once is enough.
    await api.post(`${pathOf('open/intent/1/0')}/requeue`);
    expect(receiver.received).toHaveLength(3);
    await run.terminate();
  });

  it('of a run that was cancelled or terminated is shown as not sent, and is sent or dropped', async () => {
    let open: () => void = () => undefined;
    receiver.held = new Promise((resolve) => (open = resolve));
    const run = await own.server.tactus.start(graph(['note', 'gone', 'note']), {}, { runId: 'ended' });
    await waitUntil(async () => Promise.resolve(receiver.received.length === 1));
    await run.terminate('no longer');
    open();
    await waitUntil(async () => (await listed('run=ended')).length === 3);
    const { intents } = await readGraphState(run);
    expect(intents.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    expect(intents[1]?.error).toContain('the run has ended (terminated)');
    expect(intents[1]?.error).toContain('dlq requeue ended/intent/1/1');

    expect((await api.post(`${pathOf('ended/intent/1/2')}/drop`, { reason: 'late' })).status).toBe(200);
    receiver.byPath['/gone'] = { status: 400, body: 'no' };
    await api.post(`${pathOf('ended/intent/1/1')}/requeue`);
    await waitUntil(async () => (await api.get(pathOf('ended/intent/1/1'))).body['state'] === 'dead');
    expect((await api.get(pathOf('ended/intent/1/1'))).body).toMatchObject({
      attempts: 1,
      error: { code: 'delivery_failed', message: 'Intent gone: answered 400: no' },
    });
    delete receiver.byPath['/gone'];
    await api.post(`${pathOf('ended/intent/1/1')}/requeue`);
    await waitUntil(async () => (await api.get(pathOf('ended/intent/1/1'))).body['state'] === 'sent');
    expect(await listed('run=ended')).toEqual(['ended/intent/1/0']);
    expect(await listed('run=ended&all=true')).toHaveLength(3);
    expect(await statuses(run)).toEqual([
      ['failed', 0],
      ['sent', 2],
      ['failed', 0],
    ]);
    expect((await readGraphState(run)).intents[2]?.error).toBe('dropped: late');
    // The records end when there is nothing more to be done, for their run has ended.
    await waitUntil(async () => {
      const { count } = await own.server.client.workflow.count(
        `WorkflowType = '${deadLetterType}' AND ExecutionStatus = 'Running'`,
      );
      return count <= 1;
    });
  });
});

describe('the list', () => {
  it('takes errors in and leaves them out, what is excluded wins, and goes page by page', async () => {
    const nobody = await startReceiver();
    await nobody.close();
    const calls = (kind: 'http' | 'model'): ProcedureSource =>
      kind === 'model'
        ? procedureOf(
            'helper = Agent { model = "openai/gpt-5-mini", system_prompt = "s", retries = 0 } helper({ message = "x" })',
          )
        : procedureOf(`return http_client.get("${nobody.url}", { retries = 1 }).status`);
    own.provider.reply({ status: 400, body: {} });
    await failed(await own.server.tactus.start(calls('model'), {}, { runId: 'list-model' }));
    await failed(await own.server.tactus.start(calls('http'), {}, { runId: 'list-http' }));
    await waitUntil(async () => (await listed('prefix=list-')).length === 2);
    const both = await listed('prefix=list-');
    const [http = ''] = (await listed('run=list-http')) as string[];
    const [model = ''] = (await listed('run=list-model')) as string[];
    expect([...both].sort()).toEqual([http, model].sort());
    expect(await listed('prefix=list-&include_errors=http_failed')).toEqual([http]);
    expect(await listed('prefix=list-&exclude_errors=http_failed')).toEqual([model]);
    expect(
      await listed('prefix=list-&include_errors=http_failed,model_call_failed&exclude_errors=http_failed'),
    ).toEqual([model]);
    expect(await listed('prefix=list-&max_delivery_count=2')).toEqual([http]);
    expect(await listed('prefix=list-&max_delivery_count=5&include_errors=model_call_failed')).toEqual([
      model,
    ]);

    const first = await api.get(`${letters}?prefix=list-&limit=1`);
    expect(idsIn(first.body)).toEqual([both[0]]);
    const second = await api.get(`${letters}?prefix=list-&limit=1&after=${first.body['next'] as string}`);
    expect(idsIn(second.body)).toEqual([both[1]]);
    const next = second.body['next'] as string | null;
    if (next !== null)
      expect(idsIn((await api.get(`${letters}?prefix=list-&after=${next}`)).body)).toEqual([]);
    expect((await api.get(`${letters}?after=nonsense`)).body).toMatchObject({ code: 'usage' });
    expect((await api.get(`${letters}?include_errors=what`)).body).toMatchObject({ code: 'usage' });
  });

  it('knows what is no dead letter', async () => {
    for (const id of ['nonsense', 'list-http/9', 'list-http/intent/1/0']) {
      const answer = await api.get(pathOf(id));
      expect(answer, id).toMatchObject({ status: 404, body: { code: 'dead_letter_unknown' } });
      expect((await api.post(`${pathOf(id)}/requeue`)).status, id).toBe(404);
      expect((await api.post(`${pathOf(id)}/drop`)).status, id).toBe(404);
    }
    expect((await api.get(pathOf('nobody/0'))).body).toMatchObject({ code: 'run_not_found' });
  });

  it('is settled by those alone who may operate', async () => {
    const mode = 'trusted-namespace';
    const only = async (role: Role): Promise<ApiServer> =>
      startApi(own.server.tactus, temporaryFolder('looks-on'), {
        access: {
          authenticators: [],
          anonymous: {
            name: null,
            mode,
            groups: [],
            roles: [role],
            namespaces: ['default'],
            until: Infinity,
          },
          sessions: new Sessions(),
        },
      });
    const looks = await only('read');
    const [id = ''] = (await listed('run=list-http')) as string[];
    expect((await looks.get(pathOf(id))).status).toBe(200);
    for (const verb of ['requeue', 'drop'])
      expect((await looks.post(`${pathOf(id)}/${verb}`)).body, verb).toMatchObject({ code: 'forbidden' });
    await looks.close();
    const decides = await only('decide');
    expect((await decides.post(`${pathOf(id)}/drop`)).body).toMatchObject({ code: 'forbidden' });
    await decides.close();
    expect((await api.get(pathOf(id))).body).toMatchObject({ state: 'dead' });
  });
});
