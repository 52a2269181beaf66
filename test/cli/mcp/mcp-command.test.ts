import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskOf, withTasks } from '../../../src/activities/tools/mcp/connection.js';
import { mcpTasks } from '../../../src/activities/tools/mcp/mcp-tasks.js';
import type { TaskLook } from '../../../src/activities/tools/tool-host.js';
import { digestOf } from '../../../src/contract/effects/digest.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { startChildWorker } from '../../support/child-worker.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { mcpClient, type McpClient, type McpClientOptions } from '../../support/mcp-client.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const newest = '2026-07-28';
const server = serverWithWorker(startDevServer);
const files = ['pay.tac', 'slow.tac', 'broken.tac', 'kinds.tac'];

/** What the user of a client does with a form. */
type User = (form: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>;
const accept = (content: NonNullable<ElicitResult['content']>): ElicitResult => ({
  action: 'accept',
  content,
});
const declines: User = () => ({ action: 'decline' });

let folder: CliFolder;
const clients: McpClient[] = [];
/** One without forms, one of each revision with a user, and one that knows of tasks. */
let plain: McpClient;
let older: McpClient;
let newer: McpClient;
let tasking: McpClient;
let user: User = declines;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(
    'pay.tac',
    `Procedure {
      description = "Pays somebody, if a person agrees",
      input = { cents = field.integer{ required = true, description = "How much" }, to = field.string{ default = "ann" } },
      output = { paid = field.boolean{ required = true }, to = field.string{} },
      function(input)
        print("asking about " .. input.cents)
        return { paid = Human.approve { message = "Pay " .. input.cents .. "?" }, to = input.to }
      end }`,
  );
  folder.write('slow.tac', 'Procedure { function() return Event.wait("go") end }');
  folder.write('broken.tac', 'Procedure { function() error("no paper") end }');
  folder.write('kinds.tac', kinds);
  const form: McpClientOptions = { user: (given) => user(given as ElicitRequestFormParams) };
  [plain, older, newer, tasking] = await Promise.all([
    connect({}, '--wait', '1s'),
    connect(form, '--as', 'zoe'),
    connect({ ...form, protocol: newest }, '--as', 'zoe'),
    connect({ ...form, protocol: newest, tasks: true }),
  ]);
});
afterAll(async () => {
  await Promise.all(clients.map(({ client }) => client.close()));
  await folder.close();
});

async function connect(options: McpClientOptions = {}, ...args: string[]): Promise<McpClient> {
  const connected = await mcpClient(folder, ['--address', server.env.address, ...args, ...files], options);
  clients.push(connected);
  return connected;
}

type Called = { isError?: boolean; structuredContent?: unknown; content: JsonObject[]; _meta?: JsonObject };

async function call(
  { client }: McpClient,
  name: string,
  given: JsonObject = {},
  more: JsonObject = {},
): Promise<Called> {
  return (await client.callTool({ name, arguments: given, ...more })) as unknown as Called;
}

const pay = (client: McpClient, more?: JsonObject): Promise<Called> =>
  call(client, 'pay', { cents: 5 }, more);
const runOf = ({ _meta }: Called): string => (_meta?.['tactus-temporal/run'] as { run_id: string }).run_id;
const textOf = ({ content }: Called): string =>
  content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');

async function recorded(runId: string): Promise<unknown> {
  const { execution_log: log } = await server.tactus.attach(runId).log();
  return log[0]?.result;
}

async function decide(runId: string, value: boolean): Promise<void> {
  expect(await server.tactus.decide({ request: `${runId}/0`, value })).toMatchObject({ outcome: 'accepted' });
}

describe('procedures as tools', () => {
  it("are listed with what they take and give, and refuse what they don't take", async () => {
    const { tools } = await plain.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['pay', 'slow', 'broken', 'kinds', 'wait_for_run']);
    expect(tools[0]).toMatchObject({
      description: 'Pays somebody, if a person agrees',
      inputSchema: {
        type: 'object',
        properties: { cents: { type: 'integer', description: 'How much' }, to: { default: 'ann' } },
        required: ['cents'],
      },
      outputSchema: { type: 'object', anyOf: [{ properties: { paid: { type: 'boolean' } } }, {}] },
    });
    const _meta = { 'tactus-temporal/idempotency-key': 'refused' };
    for (const given of [{ cents: 'five' }, {}, { cents: 5, sent: 1 }]) {
      const refused = await call(older, 'pay', given, { _meta });
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toContain('input_invalid');
    }
    // Nothing was started under the key.
    const open = await call(older, 'pay', { cents: 6 }, { _meta });
    await expect(call(plain, 'none')).rejects.toThrow('There is no tool none');
    expect(textOf(open)).toContain('Pay 6?');
    await decide(runOf(open), false);
  });

  it.each(['before', newest])('ask the user by a form, and give their output (%s)', async (protocol) => {
    const connected = protocol === newest ? newer : older;
    const forms: ElicitRequestFormParams[] = [];
    user = (form) => {
      forms.push(form);
      return accept({ approved: true, comment: 'as agreed' });
    };
    const progress: string[] = [];
    const paid = (await connected.client.callTool(
      { name: 'pay', arguments: { cents: 5 } },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    )) as unknown as Called;
    expect(paid).toMatchObject({ structuredContent: { paid: true, to: 'ann' } });
    expect(paid.isError).toBeUndefined();
    expect(forms).toMatchObject([{ requestedSchema: { required: ['approved'] } }]);
    expect(forms[0]?.message).toContain('Pay 5?');
    expect(await recorded(runOf(paid))).toMatchObject({ value: true, by: 'zoe', comment: 'as agreed' });
    expect(progress.join('\n')).toContain('asking about 5');
    expect(connected.strayed).toEqual([]);
  });

  it.each(['before', newest])('leave open what is declined, for others to decide (%s)', async (protocol) => {
    const connected = protocol === newest ? newer : older;
    user = declines;
    const open = await pay(connected);
    const runId = runOf(open);
    const pending = [{ id: `${runId}/0`, kind: 'approval' }];
    expect(open).toMatchObject({
      structuredContent: { run_id: runId, status: 'waiting_for_human', pending },
    });
    expect(textOf(open)).toContain(`tactus-temporal respond ${runId}/0 y`);
    expect(textOf(open)).toContain('declined');
    const uri = open.content.find(({ name }) => name === `${runId}/0`)?.['uri'] as string;
    const { contents } = await connected.client.readResource({ uri });
    const request = JSON.parse((contents[0] as { text: string }).text) as JsonObject;
    expect(request).toMatchObject({ message: 'Pay 5?', decided_by: 'a person' });
    await decide(runId, false);
    const given = await call(connected, 'wait_for_run', { run_id: runId });
    expect(given).toMatchObject({ structuredContent: { paid: false, to: 'ann' } });
  });

  it('say what is open to a client without forms, which finds it among the resources', async () => {
    const runId = runOf(await pay(plain));
    const { resources } = await plain.client.listResources();
    const request = resources.find(({ name }) => name === `${runId}/0`);
    expect(request).toMatchObject({ description: 'approval of pay: Pay 5?' });
    const uri = resources.find(({ name }) => name === runId)?.uri ?? '';
    const { contents } = await plain.client.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ status: 'waiting_for_human' });
    for (const none of ['tactus://requests/none%2F0', 'tactus://runs/none', 'tactus://runs/%'])
      await expect(plain.client.readResource({ uri: none })).rejects.toThrow();
    await decide(runId, true);
  });

  it('are the same run for the same key, and refuse another input under it', async () => {
    const keyed = { _meta: { 'tactus-temporal/idempotency-key': 'order 1' } };
    const runId = runOf(await pay(plain, keyed));
    expect(runOf(await pay(plain, keyed))).toBe(runId);
    const other = await call(plain, 'pay', { cents: 6 }, keyed);
    expect(other).toMatchObject({ isError: true });
    expect(textOf(other)).toContain('run_conflict');
    await decide(runId, true);
  });

  it('tell why a run failed, and that one takes longer than a call waits', async () => {
    const failed = await call(plain, 'broken');
    expect(failed).toMatchObject({ isError: true });
    expect(textOf(failed)).toMatch(/lua_error: .*no paper/);
    const open = await call(plain, 'slow');
    expect(open).toMatchObject({ structuredContent: { pending: [] } });
    await server.tactus.attach(runOf(open)).send('go', 'gone');
    expect(textOf(await call(plain, 'wait_for_run', { run_id: runOf(open) }))).toBe('gone');
    expect(textOf(await call(plain, 'wait_for_run', { run_id: 'none' }))).toContain('run_not_found');
    expect(textOf(await call(plain, 'wait_for_run'))).toContain('needs run_id');
  });

  it('leave the run alone when their call is cancelled', async () => {
    const over = new AbortController();
    const _meta = { 'tactus-temporal/idempotency-key': 'to be left' };
    const cancelled = older.client.callTool({ name: 'slow', arguments: {}, _meta }, { signal: over.signal });
    const named = `slow-${digestOf(['slow', 'to be left'])}`;
    await waitUntil(async () => (await server.tactus.attach(named).status()).waits.length > 0);
    over.abort();
    await expect(cancelled).rejects.toThrow();
    await server.tactus.attach(named).send('go', 'on');
    expect(textOf(await call(older, 'slow', {}, { _meta }))).toBe('on');
  });
});

it('two clients with one request: who decides first has decided, and the other one is told', async () => {
  let shown: () => void = () => undefined;
  const isShown = new Promise<void>((resolve) => (shown = resolve));
  let go: () => void = () => undefined;
  const mayGo = new Promise<void>((resolve) => (go = resolve));
  let times = 0;
  user = async () => {
    times += 1;
    if (times > 1) return accept({ approved: true });
    shown();
    await mayGo;
    return accept({ approved: false });
  };
  const called = pay(newer);
  await isShown;
  const { resources } = await older.client.listResources();
  const { name = '' } = resources.find(({ uri }) => uri.startsWith('tactus://requests/')) ?? {};
  const given = await call(older, 'wait_for_run', { run_id: name.replace(/\/0$/, '') });
  expect(given).toMatchObject({ structuredContent: { paid: true } });
  go();
  const paid = await called;
  expect(paid).toMatchObject({ structuredContent: { paid: true } });
  expect(textOf(paid)).toContain('came late');
});

it('runs are tasks to a client that knows of them, whose questions are asked through them', async () => {
  const { client } = tasking;
  const never = new AbortController().signal;
  const tasks = mcpTasks((_signal, work) =>
    work({
      client,
      problem: () => null,
      hasSession: () => false,
      tools: () => Promise.resolve([]),
      close: () => client.close(),
    }),
  );
  const begin = async (): Promise<string> => {
    const params = { name: 'pay', arguments: { cents: 7 }, _meta: withTasks };
    return taskOf(await client.callTool(params, { allowInputRequired: true })) ?? 'none';
  };
  const look = (runId: string): Promise<TaskLook> => tasks.look(runId, never);
  const say = (runId: string, said: JsonObject): Promise<void> =>
    tasks.answer(runId, { [`${runId}/0`]: said }, never);
  const runId = await begin();
  const requests = { [`${runId}/0`]: { method: 'elicitation/create' } };
  expect(await look(runId)).toMatchObject({ status: 'input_required', requests });
  await say(runId, { action: 'accept', content: { approved: 'false' } });
  expect(JSON.stringify(await look(runId))).toContain('an approval takes true or false');
  await say(runId, { action: 'accept', content: { approved: true } });
  await waitUntil(async () => (await look(runId)).status === 'completed');
  expect(await look(runId)).toEqual({ status: 'completed', value: { paid: true, to: 'ann' } });

  const declined = await begin();
  await look(declined);
  await say(declined, { action: 'decline' });
  expect(await look(declined)).toMatchObject({ status: 'working' });
  await tasks.cancel(declined, never);
  await waitUntil(async () => (await look(declined)).status === 'failed');
  expect(await server.tactus.attach(declined).status()).toMatchObject({ status: 'cancelled' });
  expect(await look('none')).toMatchObject({ status: 'lost' });
});

const kinds = `Procedure { function()
  return {
    select = Human.select { message = "Which?", options = { { label = "One", value = 1 }, { label = "Two", value = 2 } } },
    several = Human.select { message = "Which ones?", options = { "a", "b", "c" }, mode = "multiple", min = 2 },
    input = Human.input { message = "Name?" },
    free = Human.input { message = "Any?", response_schema = { type = "object", required = { "n" } } },
    review = Human.review { message = "Good?", artifact = "text", options = { "approve", "reject" } },
    upload = Human.upload { message = "File?", accept = { ".pdf" }, max_size = 100 },
    items = Human.multiple {
      { id = "sure", label = "Sure", type = "approval", message = "Sure?" },
      { id = "why", label = "Why", type = "input", message = "Why?", required = false },
    },
    escalate = Human.escalate { message = "Look!" } == nil,
  }
end }`;

it('every kind of question has a form', async () => {
  const answers: Record<string, NonNullable<ElicitResult['content']>> = {
    'Which?': { answer: '2' },
    'Which ones?': { answer: ['a', 'c'] },
    'Name?': { answer: 'Eve' },
    'Any?': { answer: '{"n": 3}' },
    'Good?': { decision: 'reject', feedback: 'too short' },
    'File?': { file: 'https://files.example/a/b.pdf?x=1', size: 10 },
    'Sure?': { sure: true, why: '' },
    'Look!': { note: 'seen' },
  };
  const forms: string[] = [];
  user = ({ message }) => {
    const [asked = ''] = Object.keys(answers).filter((each) => message.includes(each));
    forms.push(asked);
    return accept(answers[asked] ?? {});
  };
  expect((await call(newer, 'kinds')).structuredContent).toEqual({
    select: 2,
    several: ['a', 'c'],
    input: 'Eve',
    free: { n: 3 },
    review: expect.objectContaining({ decision: 'reject', feedback: 'too short' }) as unknown,
    upload: expect.objectContaining({ name: 'b.pdf', url: 'https://files.example/a/b.pdf?x=1' }) as unknown,
    items: { sure: true },
    escalate: true,
  });
  expect(forms).toEqual(Object.keys(answers));
});

it('a worker that dies while the user thinks, and another one that comes, lose nothing', async () => {
  const { address } = server.env;
  const begin = (): ReturnType<typeof startChildWorker> =>
    startChildWorker({ address, taskQueue: 'restarted', filesRoot: folder.path });
  let worker = await begin();
  user = async () => {
    await worker.kill();
    worker = await begin();
    return accept({ approved: true });
  };
  const form: McpClientOptions = { user: (given) => user(given as ElicitRequestFormParams) };
  const connected = await connect({ ...form, protocol: newest }, '--task-queue', 'restarted');
  try {
    expect(await pay(connected)).toMatchObject({ structuredContent: { paid: true } });
  } finally {
    await worker.kill();
  }
});

it('says that no worker has told, and refuses where there is no server', async () => {
  const alone = await connect({}, '--wait', '1s', '--task-queue', 'nobody');
  const lost = await mcpClient(folder, ['--address', '127.0.0.1:1', 'pay.tac']);
  clients.push(lost);
  const [waiting, refused] = await Promise.all([pay(alone), pay(lost)]);
  expect(textOf(waiting)).toContain('no worker has told how it stands');
  expect(textOf(refused)).toContain('server_unreachable');
});

it('works for its runs with the embedded server, and keeps stdout for the protocol whatever tools print', async () => {
  folder.write('.tactus/config.yml', 'tool_modules: [noisy.mjs]\n');
  folder.write(
    'noisy.mjs',
    `import { defineTool } from ${JSON.stringify(new URL('../../../dist/worker.js', import.meta.url))};
     import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
     console.log('loaded');
     export const tool = defineTool({ name: 'x', description: 'X', effect: 'pure', input: z.object({}), execute: () => 1 });`,
  );
  const own = await mcpClient(folder, ['pay.tac'], { user: () => accept({ approved: true }) });
  clients.push(own);
  expect(await pay(own)).toMatchObject({ structuredContent: { paid: true } });
  expect(own.said()).toContain('loaded');
  expect(own.strayed).toEqual([]);
});

it.each([
  [['none.tac'], 'There is no file none.tac'],
  [['pay.tac', './pay.tac'], 'that is pay.tac'],
])('refuses %j at once', async (given, reason) => {
  const { code, stderr, stdout } = await folder.run(['mcp', ...given]);
  expect(code).toBe(2);
  expect(stderr).toContain(reason);
  expect(stdout).toBe('');
});
