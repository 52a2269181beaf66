import { beforeEach, describe, expect, it } from 'vitest';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import type { Answer } from '../../support/provider-stand-in.js';
import { replayHistories } from '../../support/replay-histories.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';

const around = providerWithWorker();

/** What was really done: a note in a log of each run would be that of a run that may never have been. */
const shop = (more = ''): string => `
  local prices = { apple = 3, pear = 5, plum = 7 }
  price = Tool { description = "The price of a fruit", input = { fruit = field.string{required = true} },
    function(args)
      if not prices[args.fruit] then error("there is no " .. args.fruit) end
      return prices[args.fruit]
    end }
  stock = Tool { description = "What is there", input = {}, function() return { "apple", "pear", "plum" } end }
  order = Tool { description = "Orders", input = { fruit = field.string{required = true}, count = field.integer{required = true} },
    function(args) Log.info("ordered " .. args.count .. " " .. args.fruit) return { ordered = args.count } end }
  refund = Tool { description = "Pays back", input = { amount = field.number{required = true} },
    function(args) Log.info("refunded " .. args.amount) return true end }
  buyer = Agent { model = "openai/gpt-x", system_prompt = "Buy.", code_mode = true,
    tools = { price, stock, order, refund, "done" }, ${more} }
  Procedure { function(input) local turn = buyer("Go on") return turn.exhausted or turn.output end }`;

const writes = (code: string): Answer => ({
  toolCalls: [{ name: 'run_procedure', arguments: JSON.stringify({ code }) }],
});

/** The results of tools that the model was told last. */
function told(): string[] {
  const { messages } = (around.provider.requests.at(-1)?.body ?? {}) as {
    messages?: { role: string; content: string }[];
  };
  return (messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
}

const start = (more = '', settings: RunSettings = {}): Promise<TactusRun> =>
  around.server.tactus.start(procedureSource(shop(more)), {}, { settings });

async function childrenOf(run: TactusRun): Promise<string[]> {
  const histories = await historiesOf(around.server.client, run.runId);
  return histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId ?? []);
}

describe('an agent that writes procedures', () => {
  beforeEach(() => around.provider.reply());

  it.each<[string, string, string]>([
    [
      'a sum over a loop',
      'local sum = 0\nfor _, fruit in ipairs(stock{}) do sum = sum + price{ fruit = fruit } end\nreturn sum',
      '15',
    ],
    [
      'several at once',
      'return Parallel.map(stock{}, function(fruit) return { fruit = fruit, price = price{ fruit = fruit } } end)',
      JSON.stringify([
        { fruit: 'apple', price: 3 },
        { fruit: 'pear', price: 5 },
        { fruit: 'plum', price: 7 },
      ]),
    ],
    [
      'a choice among what it finds',
      'local best\nfor _, fruit in ipairs(stock()) do\n  local cost = price{ fruit = fruit }\n  if not best or cost < best.cost then best = { fruit = fruit, cost = cost } end\nend\nreturn { best = best.fruit, ordered = order{ fruit = best.fruit, count = 4 }.ordered }',
      '{"best":"apple","ordered":4}',
    ],
    [
      'a failure that it lives with',
      'local ok, problem = pcall(price, { fruit = "melon" })\nreturn ok and "there is" or string.match(problem, "there is no %w+")',
      'there is no melon',
    ],
    [
      'text in a fence, with a function of its own',
      '```lua\nlocal function twice(n) return n * 2 end\nlocal words = {}\nfor word in string.gmatch("apple pear", "%a+") do table.insert(words, word .. "=" .. twice(price{ fruit = word })) end\nreturn table.concat(words, ", ")\n```',
      'apple=6, pear=10',
    ],
  ])('does %s in one answer, in a run of its own', async (_, code, result) => {
    around.provider.reply(writes(code), { text: 'Done' });
    const run = await start();
    expect(await run.result()).toBe('Done');
    expect(told()).toEqual([result]);
    expect(around.provider.requests).toHaveLength(2);
    const { execution_log: log } = await run.log();
    expect(log.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'model_call buyer',
      'code_check code_check',
      'procedure_call code of buyer',
      'tool_call run_procedure',
      'model_call buyer',
      'agent_turn buyer',
    ]);
    const [child] = await childrenOf(run);
    const calls = (await around.server.tactus.attach(child ?? '').log()).execution_log;
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(({ source }) => source === null || /\.lua$|main\.tac$/.test(source.file))).toBe(true);
    const histories = (
      await Promise.all([run.runId, child ?? ''].map((id) => historiesOf(around.server.client, id)))
    ).flat();
    expect(await replayHistories(histories.map((history) => ({ workflowId: run.runId, history })))).toEqual(
      [],
    );
  });

  it('can be forked where it wrote what is run', async () => {
    around.provider.reply(
      writes('local a, b = price{ fruit = "pear" }, price{ fruit = "plum" }\nreturn a + b'),
      { text: 'Done' },
    );
    const run = await start();
    await run.result();
    const [child = ''] = await childrenOf(run);
    const written = around.server.tactus.attach(child);
    const { execution_log: log } = await written.log();
    const [first] = log.filter(({ type }) => type === 'tool_call');
    const forked = await around.server.tactus.startFork(
      await readFork(written, { at: first?.position ?? '', set: 100 }),
    );
    expect(await forked.result()).toBe(107);
  });

  it('is told what there is to call', async () => {
    around.provider.reply({ text: 'Nothing to do' });
    await (await start()).result();
    const { tools } = around.provider.requests[0]?.body as {
      tools?: { function: { name: string; description: string } }[];
    };
    expect(tools?.map(({ function: { name } }) => name)).toEqual(['run_procedure', 'done']);
    const [first] = tools ?? [];
    expect(first?.function.description).toContain(
      '\nprice{ fruit: string } -- The price of a fruit\nstock{} -- What is there\n',
    );
    expect(first?.function.description).toContain('order{ fruit: string, count: integer }');
  });

  it.each<[string, string, RegExp]>([
    ['is no Lua', 'return price{', /nothing was run: line 1/],
    ['misspells a tool', 'return prise{ fruit = "apple" }', /there is no prise; is price meant\?/],
    ['sets a global', 'total = 1 return total', /write local total/],
    ['gives nothing', 'order{ fruit = "apple", count = 1 }', /end it with return/],
    ['fails', 'local x = nil\nreturn x.y', /attempt to index a nil value/],
    [
      "gives a tool what it doesn't take",
      'return price{ vegetable = "leek" }',
      /Missing required field: fruit/,
    ],
  ])('mends what %s', async (_, code, problem) => {
    around.provider.reply(writes(code), writes('return price{ fruit = "pear" }'), { text: 'Five' });
    expect(await (await start()).result()).toBe('Five');
    const [first, second] = told();
    expect(first).toMatch(problem);
    expect(second).toBe('5');
  });
});

describe('what a model writes is stopped before it runs', () => {
  const policy: RunSettings['toolPolicy'] = {
    default: 'allow',
    rules: [
      { tool: 'refund', action: 'deny' },
      { tool: 'order', action: 'deny', when: { count: { above: 10 } } },
    ],
  };

  it.each<[string, string, RegExp]>([
    [
      'a forbidden tool',
      'order{ fruit = "apple", count = 1 } return refund{ amount = 5 }',
      /refund was not called.*line 1.*nothing of the procedure was run/,
    ],
    [
      'one under another name',
      'local give = refund order{ fruit = "apple", count = 1 } return give{ amount = 5 }',
      /refund was not called/,
    ],
    [
      'one that is handed on',
      'order{ fruit = "apple", count = 1 } return pcall(refund, { amount = 5 })',
      /refund was not called/,
    ],
    [
      'one in a branch that may never run',
      'if price{ fruit = "pear" } > 100 then refund{ amount = 1 } end return 1',
      /refund was not called/,
    ],
    [
      'one inside of a function',
      'local function f() return refund{ amount = 1 } end order{ fruit = "apple", count = 1 } return 1',
      /refund was not called/,
    ],
    [
      'arguments that are forbidden',
      'order{ fruit = "apple", count = 1 } return order{ fruit = "pear", count = 11 }',
      /order was not called/,
    ],
    [
      'code that makes code',
      'order{ fruit = "apple", count = 1 } return load("return refund{ amount = 1 }")()',
      /there is no load/,
    ],
    [
      'the globals',
      'order{ fruit = "apple", count = 1 } return _G["re" .. "fund"]{ amount = 1 }',
      /there is no _G/,
    ],
    [
      'another environment',
      'local _ENV = { f = order } return f{ fruit = "apple", count = 1 }',
      /_ENV can not be changed/,
    ],
    [
      'files and people',
      'order{ fruit = "apple", count = 1 } return File.read("secret"), Human.approve{ message = "ok?" }',
      /there is no File.*there is no Human/,
    ],
    [
      'other procedures',
      'order{ fruit = "apple", count = 1 } return Procedure.run("other.tac")',
      /there is no Procedure/,
    ],
    [
      'a tool that the agent has not',
      'order{ fruit = "apple", count = 1 } return buyer("more")',
      /there is no buyer/,
    ],
  ])('%s', async (_, code, problem) => {
    around.provider.reply(writes(code), { text: 'I may not' });
    const run = await start('', { toolPolicy: policy });
    expect(await run.result()).toBe('I may not');
    expect(told()[0]).toMatch(problem);
    expect(await childrenOf(run)).toEqual([]);
  });

  it('arguments that are computed are judged at the call', async () => {
    around.provider.reply(writes('local n = 5 * 5 return order{ fruit = "apple", count = n }'), {
      text: 'I may not',
    });
    const run = await start('', { toolPolicy: policy });
    expect(await run.result()).toBe('I may not');
    expect(told()[0]).toMatch(/order was not called: the policy forbids it/);
    const [child] = await childrenOf(run);
    expect(JSON.stringify(await around.server.tactus.attach(child ?? '').shown())).not.toContain('ordered');
  });

  it('more calls than are left, and turns that are over', async () => {
    const code = 'price{ fruit = "apple" } price{ fruit = "pear" } price{ fruit = "plum" } return 1';
    around.provider.reply(writes(code), { text: 'Too many' });
    const run = await start('budget = { tool_calls = 3 }');
    expect(await run.result()).toBe('Too many');
    expect(told()[0]).toMatch(/calls tools at 3 places, and 2 calls are left/);
    expect(await childrenOf(run)).toEqual([]);
  });

  it('what a person says no to, who saw it whole', async () => {
    const code = 'return order{ fruit = "apple", count = 1 }';
    around.provider.reply(writes(code), writes(code), { text: 'Ordered' });
    const run = await start('', {
      toolPolicy: { default: 'allow', rules: [{ tool: 'code.*', action: 'approve' }] },
    });
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      kind: 'approval',
      message: 'Allow this call of code.buyer?',
      context: { tool: 'code.buyer', arguments: { code, tools: ['order'] } },
    });
    expect(JSON.stringify(request?.context)).toMatch(/flowchart TD.*order/);
    expect(await childrenOf(run)).toEqual([]);
    await run.decide({ request: request?.id ?? '', value: false, comment: 'too dear' });
    const [again] = await pendingOf(run);
    expect(told()[0]).toMatch(/code\.buyer|run_procedure was not called: .*too dear/);
    await run.decide({ request: again?.id ?? '', value: true });
    expect(await run.result()).toBe('Ordered');
    expect(await childrenOf(run)).toHaveLength(1);
  });
});

it('a file that does something by itself can have none of it', async () => {
  around.provider.reply(writes('return 1'));
  const run = await around.server.tactus.start(
    procedureSource(
      'helper = Agent { model = "openai/gpt-x", system_prompt = "s", code_mode = true, tools = {} }\nreturn helper("x").output',
    ),
  );
  await expect(run.result()).rejects.toThrow(/need a file that only declares things/);
});
