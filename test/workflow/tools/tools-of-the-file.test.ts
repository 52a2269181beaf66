import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { ToolRule } from '../../../src/contract/tools/tool-policy.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import type { Answer } from '../../support/provider-stand-in.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeAll(async () => {
  const env = { ...around.env, SHOP_KEY: 'shop-secret' };
  const rules: ToolRule[] = [{ tool: 'http.guarded', action: 'approve', approvers: ['ann'] }];
  worker = await startWorker(around.server, {
    activities: { env, toolPolicy: { default: 'allow', rules } },
  });
});
afterAll(() => worker.stop());

const start = (top: string, body: string): Promise<TactusRun> =>
  around.server.tactus.start(procedureSource(`${top}\nProcedure { function(input)\n${body}\nend }`));

describe('a tool that is a request', () => {
  const tool = (method: string, more = ''): string => `order = Tool {
    description = "Orders",
    input = { id = field.string{required = true}, note = field.string{} },
    http = { method = "${method}", url = "${around.provider.url}/score/{id}", headers = { authorization = { secret = "SHOP_KEY", prefix = "Bearer " } } },
    ${more}
  }`;

  it('is sent with its arguments in their places, a key, and a secret that nobody sees', async () => {
    around.provider.reply({ json: { echoed: 'shop-secret' } }, { json: 1 });
    const run = await start(
      tool('POST'),
      'return { order({ id = "a/b", note = "x" }), order({ id = "c" }) }',
    );
    expect(await run.result()).toEqual([{ echoed: '[redacted]' }, 1]);
    const [first, second] = around.provider.requests;
    expect([first?.path, first?.body, second?.path, second?.body]).toEqual([
      '/score/a%2Fb',
      { note: 'x' },
      '/score/c',
      {},
    ]);
    expect(first?.headers['authorization']).toBe('Bearer shop-secret');
    expect(first?.headers['idempotency-key']).not.toBe(second?.headers['idempotency-key']);
    expect(JSON.stringify(await run.log())).not.toContain('shop-secret');
  });

  it('never leaves its path, whatever a model invents', async () => {
    const run = await start(tool('GET'), 'return tostring(select(2, pcall(order, { id = ".." })))');
    expect(await run.result()).toContain(`id can't be ".." in its address`);
    expect(around.provider.requests).toEqual([]);
  });

  it.each<[string, Answer, RegExp]>([
    ['refused', { status: 404, body: { error: 'none' } }, /answered 404: \{"error":"none"\}/],
    ['too busy', { status: 429, body: {} }, /answered 429/],
  ])('that may be sent once alone has failed where it is %s', async (_how, answer, problem) => {
    around.provider.reply(answer);
    const run = await start(tool('POST'), 'return tostring(select(2, pcall(order, { id = "a" })))');
    expect(await run.result()).toMatch(problem);
    expect(around.provider.requests).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['answers 500', { status: 500, body: {} }],
    ['hangs up', { reset: true }],
  ])('that may be sent once alone is looked into where the other side %s', async (_how, answer) => {
    around.provider.reply(answer);
    const run = await start(
      tool('POST', 'verify = function(args) return { done = true, result = args.id } end'),
      'return order({ id = "a" })',
    );
    expect(await run.result()).toBe('a');
    expect(around.provider.requests).toHaveLength(1);
  });

  it.each(['PUT', 'GET', 'DELETE'])('is tried again where its method is %s', async (method) => {
    around.provider.reply({ status: 500, body: {} }, { json: 'fine' });
    const run = await start(
      tool(method, 'retry = { delay_seconds = 0.01 }'),
      'return order({ id = "a", note = "n" })',
    );
    expect(await run.result()).toBe('fine');
    expect(around.provider.requests.map(({ path }) => path)).toEqual(
      Array(2).fill(method === 'PUT' ? '/score/a' : '/score/a?note=n'),
    );
  });

  it('is tried again for as long as its author says, more often than tools are', async () => {
    around.provider.reply(...Array<Answer>(5).fill({ status: 500, body: {} }), { json: 'fine' });
    const run = await start(
      tool('GET', 'retry = { total_seconds = "1m", delay_seconds = 0.01, backoff = "constant" }'),
      'return order({ id = "a" })',
    );
    expect(await run.result()).toBe('fine');
    expect(around.provider.requests).toHaveLength(6);
  });

  it('is approved by whoever the file says', async () => {
    around.provider.reply({ json: 'sent' });
    const approval = 'approval = { when = { note = "urgent*" }, approvers = { "ann" } }';
    const run = await start(tool('PUT', approval), 'return order({ id = "a", note = "urgent!" })');
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({ approvers: ['ann'], context: { tool: 'http.order' } });
    await around.server.tactus.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toBe('sent');
  });
});

describe('a call that somebody had to allow', () => {
  const pay = (name: string, approval = ''): string =>
    `${name} = Tool { description = "Pays", input = { cents = field.integer {} }, http = { method = "POST", url = "${around.provider.url}/score/pay" }, ${approval} }`;

  it.each([
    ['the worker', 'guarded', ''],
    ['the file', 'pay', 'approval = { approvers = { "ann" } }'],
  ])('is looked into by who was to allow it: by %s', async (_who, name, approval) => {
    around.provider.reply({ reset: true }, { json: 'paid' });
    const run = await start(pay(name, approval), `return ${name}({ cents = 5 })`);
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    const question = await waitUntil(async () => {
      const [asked] = await pendingOf(run);
      return asked?.kind === 'select' ? asked : null;
    });
    expect(question).toMatchObject({
      message: `Nobody knows whether http.${name} was done. Was it?`,
      approvers: ['ann'],
    });
    // Who says that it wasn't done has it done: that is as much as to allow it.
    const decision = { request: question.id, value: 'not_done' };
    expect((await run.decide({ ...decision, by: 'bob' })).outcome).toBe('not_allowed');
    expect(around.provider.requests).toHaveLength(1);
    expect((await run.decide({ ...decision, by: 'ann' })).outcome).toBe('accepted');
    expect(await run.result()).toBe('paid');
    expect(around.provider.requests).toHaveLength(2);
  });

  it('is done once, though the conversation goes on in other executions', async () => {
    around.provider.reply(({ body, path }) => {
      if (path === '/score/pay') return { json: 'paid' };
      const { length } = body['messages'] as unknown[];
      return length === 1
        ? { toolCalls: [{ id: 'c', name: 'pay', arguments: '{"cents":5}' }] }
        : { text: 'ok' };
    });
    const run = await around.server.tactus.start(
      procedureSource(`${pay('pay', 'approval = true')}
        clerk = Agent { model = "openai/gpt-x", tools = { pay } }
        Procedure { function()
          for n = 1, 11 do clerk("Turn " .. n) end
          return { pay.call_count(), #clerk.history }
        end }`),
      {},
      { limits: { historyEvents: 20 } },
    );
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toEqual([1, 24]);
    const histories = await historiesOf(around.server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    expect(around.provider.requests.filter(({ path }) => path === '/score/pay')).toHaveLength(1);
    // The turn that asked is whole: the last execution begins behind it.
    const { execution_log: log } = await run.log({ all: true });
    expect(log.filter(({ type }) => type === 'hitl_approval')).toHaveLength(1);
    expect(await replayRun(around.server.client, run)).toEqual([]);
  });
});

describe('what can be called is a tool', () => {
  const agents = `
    critic = Agent { model = "openai/critic", description = "Judges a text", system_prompt = "Judge." }
    add = Procedure "add" {
      description = "Adds two numbers",
      input = { a = field.number{required = true}, b = field.number{required = true} },
      function(input) return { sum = input.a + input.b } end,
    }
    writer = Agent { model = "openai/writer", tools = { critic, add } }`;

  it('an agent, and a procedure', async () => {
    around.provider.reply(({ body }) => {
      if (body['model'] === 'critic') return { text: 'Too long' };
      const tools = (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length;
      if (tools === 0) return { toolCalls: [{ name: 'critic', arguments: '{"message":"Judge this"}' }] };
      if (tools === 1) return { toolCalls: [{ name: 'add', arguments: '{"a":1,"b":2}' }] };
      return { text: 'done' };
    });
    const run = await start(
      agents,
      'return { writer("Write").output, Tool.called("critic"), Tool.last_result("add").sum }',
    );
    expect(await run.result()).toEqual(['done', true, 3]);
    const [first] = around.provider.requests;
    expect(first?.body['tools']).toMatchObject([
      { function: { name: 'critic', description: 'Judges a text', parameters: { required: ['message'] } } },
      { function: { name: 'add', description: 'Adds two numbers', parameters: { required: ['a', 'b'] } } },
    ]);
    const told = JSON.stringify(around.provider.requests.at(-1)?.body['messages']);
    expect(told).toContain('Too long');
    expect(told).toContain(String.raw`{\"sum\":3}`);
    const { execution_log: log } = await run.log();
    expect(
      log
        .filter(({ type }) => type === 'procedure_call' || type === 'agent_turn')
        .map(({ position }) => position),
    ).toEqual(expect.arrayContaining(['0.1.0', '0.3.0', '0']));
  });
});

describe('a turn', () => {
  const agent = `
    look = Tool { description = "Looks", function() return { stars = 4 } end }
    rater = Agent { model = "openai/gpt-x", tools = { look }`;

  it('may force one tool by its name, first, and end with what it gave', async () => {
    around.provider.reply(
      { toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] },
      { toolCalls: [{ id: 'd', name: 'look', arguments: '{}' }] },
      { text: 'Four stars' },
    );
    const run = await start(
      `${agent}, stop_at_tools = "look" }
      talker = Agent { model = "openai/gpt-x", tools = { look }, tool_choice = { name = "look" } }`,
      'return { rater("How good?").output, talker("How good?").output }',
    );
    expect(await run.result()).toEqual([{ stars: 4 }, 'Four stars']);
    const choices = around.provider.requests.map(({ body }) => body['tool_choice']);
    expect(choices).toEqual(['auto', { type: 'function', function: { name: 'look' } }, 'auto']);
  });

  it('may have a single value for its output', async () => {
    around.provider.reply({ text: '{"value":"many"}' }, { text: '{"value":4}' });
    const run = await start(
      `${agent}, output = field.integer { required = true } }`,
      'return rater("How many?").output',
    );
    expect(await run.result()).toBe(4);
    const [first, second] = around.provider.requests.map(({ body }) => body);
    expect(first?.['response_format']).toMatchObject({
      json_schema: { schema: { properties: { value: { type: 'integer' } }, required: ['value'] } },
    });
    // It is told what is wrong.
    expect(JSON.stringify(second?.['messages'])).toContain("That answer can't be used");
  });
});

describe('a toolset that a person must allow', () => {
  const top = `
    local function does(word) return function() return word .. " done" end end
    look = Tool { description = "Looks", does("look") }
    pay = Tool { description = "Pays", does("pay") }
    money = Toolset "money" { tools = { pay, look }, prefix = "m_", approval = { when = { cents = { above = 100 } }, approvers = { "ann" } } }
    chosen = Toolset.filter(money, function(name) return name == "m_pay" end)`;
  const agent = (tools: string): string =>
    `clerk = Agent { model = "openai/gpt-x", system_prompt = "Do it.", tools = { ${tools} } }`;

  it.each([
    ['money', 'm_pay'],
    // Listed by itself too, and chosen out of it: all that is said of a tool counts.
    ['pay, Toolset "plain" { tools = { pay }, approval = true }', 'pay'],
    ['chosen', 'pay'],
  ])('asks for each of its tools (%s)', async (tools, name) => {
    around.provider.reply({ toolCalls: [{ id: 'c', name, arguments: '{"cents":200}' }] }, { text: 'paid' });
    const run = await start(`${top}\n${agent(tools)}`, 'return clerk("Pay").output');
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({ kind: 'approval', message: expect.stringContaining('pay') as unknown });
    await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toBe('paid');
    const { messages } = around.provider.requests[1]?.body as { messages: { content: string }[] };
    expect(messages.at(-1)?.content).toBe('pay done');
  });

  it('asks for no other call, and nothing of the procedure itself', async () => {
    around.provider.reply(
      { toolCalls: [{ id: 'c', name: 'm_pay', arguments: '{"cents":99}' }] },
      { text: 'paid' },
    );
    const run = await start(
      `${top}\n${agent('money')}`,
      'return { clerk("Pay").output, pay({ cents = 200 }) }',
    );
    expect(await run.result()).toEqual(['paid', 'pay done']);
  });
});
