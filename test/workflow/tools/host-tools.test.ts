import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ActivityDeps } from '../../../src/activities/index.js';
import { defineTool, type ToolCallContext } from '../../../src/activities/tools/define-tool.js';
import { ToolFailed } from '../../../src/activities/tools/tool-host.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;
/** What each test's tools were called with. */
let calls: { args: unknown; context: ToolCallContext }[];
/** What `act` does; the test says. */
let act: (args: { n: number }, context: ToolCallContext) => unknown;
let verify: (() => { done: true; result: JsonValue } | { done: false } | null) | null;

const input = z.object({ n: z.number().int().describe('A number'), note: z.string().optional() });

const tools = (['pure', 'idempotent', 'once'] as const).map((effect) =>
  defineTool({
    name: effect,
    description: `Acts, ${effect}`,
    input,
    effect,
    execute: (args, context) => {
      calls.push({ args, context });
      return act(args, context);
    },
    retry: { delayMs: 10 },
    timeoutMs: 1_500,
  }),
);
const verified = defineTool({
  name: 'verified',
  description: 'Acts once, and knows whether it did',
  input,
  effect: 'once',
  execute: (args, context) => {
    calls.push({ args, context });
    return act(args, context);
  },
  verify: () => verify?.() ?? null,
});
const guarded = defineTool({
  name: 'guarded',
  description: 'Needs a yes above 10',
  input,
  effect: 'once',
  needsApproval: ({ n }) => n > 10,
  execute: (args, context) => {
    calls.push({ args, context });
    return { by: context.approvedBy };
  },
});

beforeEach(() => {
  calls = [];
  act = ({ n }) => ({ doubled: n * 2 });
  verify = null;
});
afterEach(() => worker.stop());

async function start(body: string, deps: Partial<ActivityDeps> = {}): Promise<TactusRun> {
  const { env } = around;
  worker = await startWorker(around.server, {
    activities: { env, tools: [...tools, verified, guarded], ...deps },
  });
  return around.server.tactus.start(procedureOf(body));
}

async function types(run: TactusRun): Promise<string[]> {
  const { execution_log: log } = await run.log();
  return log.map(({ position, type, name, status }) => `${position} ${type} ${name} ${status}`);
}

async function replays(run: TactusRun): Promise<void> {
  expect(await replayRun(around.server.client, run)).toEqual([]);
}

const act1 = 'local act = Tool { use = "host.once" }';
const caught = `${act1} local ok, what = pcall(act, { n = 1 }) return { ok = ok, what = ok and what or tostring(what) }`;

describe('a tool of the worker', () => {
  it('is called by a procedure, once, and asked for once', async () => {
    const run = await start(`
      local double = Tool { use = "host.pure" }
      return { double({ n = 2 }).doubled, double({ n = 3 }).doubled, double.call_count() }`);
    expect(await run.result()).toEqual([4, 6, 2]);
    expect(await types(run)).toEqual([
      '0 tool_list tools of host.pure completed',
      '1.0 tool_attempt pure completed',
      '1 tool_call pure completed',
      '2.0 tool_attempt pure completed',
      '2 tool_call pure completed',
    ]);
    const [first, second] = calls.map(({ context }) => context.idempotencyKey);
    expect(first).toMatch(/\/1$/);
    expect(second).toMatch(/\/2$/);
    await replays(run);
  });

  it('is given to an agent by its name, with what the worker says of it', async () => {
    around.provider.reply({ toolCalls: [{ name: 'once', arguments: '{"n": 21}' }] }, { text: 'It is 42' });
    const run = await start(`
      local helper = Agent { model = "openai/gpt-x", tools = { "once" } }
      return helper("double 21").output`);
    expect(await run.result()).toBe('It is 42');
    const [first, second] = around.provider.requests;
    expect(first?.body['tools']).toMatchObject([
      {
        function: {
          name: 'once',
          description: 'Acts, once',
          parameters: { properties: { n: { type: 'integer', description: 'A number' } }, required: ['n'] },
        },
      },
    ]);
    expect(JSON.stringify(second?.body['messages'])).toContain(String.raw`{\"doubled\":42}`);
    expect(calls).toHaveLength(1);
    await replays(run);
  });

  it('tells a model what is wrong with its arguments, and what it can mend', async () => {
    act = () => {
      throw new ToolFailed('there is no such number');
    };
    around.provider.reply(
      { toolCalls: [{ name: 'once', arguments: '{"n": "many"}' }] },
      { toolCalls: [{ name: 'once', arguments: '{"n": 2}' }] },
      { text: 'I give up' },
    );
    const run = await start(`
      local helper = Agent { model = "openai/gpt-x", tools = { "once" } }
      return helper("double").output`);
    expect(await run.result()).toBe('I give up');
    const told = JSON.stringify(around.provider.requests.at(-1)?.body['messages']);
    expect(told).toContain('once: the arguments don');
    expect(told).toContain('there is no such number');
    expect(calls).toHaveLength(1);
  });

  it.each(['pure', 'idempotent'])('is tried again where it is %s, with the same key', async (effect) => {
    act = (_args, { attempt }) => {
      if (attempt < 3) throw new Error('not yet');
      return 'at last';
    };
    const run = await start(`return Tool { use = "host.${effect}" }({ n = 1 })`);
    expect(await run.result()).toBe('at last');
    expect(new Set(calls.map(({ context }) => context.idempotencyKey)).size).toBe(1);
    expect(calls).toHaveLength(3);
  });

  it('fails for good after its attempts', async () => {
    act = () => {
      throw new Error('broken');
    };
    const run = await start(`return tostring(select(2, pcall(Tool { use = "host.pure" }, { n = 1 })))`);
    expect(await run.result()).toMatch(/host\.pure: broken \(attempt 3 of 3\)/);
    expect(calls).toHaveLength(3);
  });

  it('that nobody has is an error where it is called, and not before', async () => {
    const run = await start(`
      local nobody = Tool { use = "host.nobody" }
      local ok, what = pcall(nobody, {})
      return { ok, tostring(what) }`);
    expect(await run.result()).toEqual([
      false,
      expect.stringContaining('the worker has no tool and no server of tools called host.nobody'),
    ]);
  });

  it('may give what is no JSON, or too much of it', async () => {
    act = ({ n }) => (n === 1 ? 10n : n === 2 ? 'x'.repeat(3_000_000) : undefined);
    const run = await start(`
      ${act1}
      local said = {}
      for n = 1, 2 do said[n] = tostring(select(2, pcall(act, { n = n }))) end
      said[3] = act({ n = 3 }) == nil
      return said`);
    expect(await run.result()).toEqual([
      expect.stringContaining('was done, and what it gave is no JSON'),
      expect.stringContaining('The result of host.once is 3.0 MB; at most 1.5 MB can be recorded'),
      true,
    ]);
    expect(calls).toHaveLength(3);
  });
});

describe('a call that may be done once alone', () => {
  it.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('connection lost')), 'connection lost'],
    ['hangs', () => new Promise(() => undefined), 'gave no answer within 1500 ms'],
  ])('and %s is not repeated, and a person says what was', async (_how, does, problem) => {
    act = does;
    const run = await start(caught);
    const [request] = await pendingOf(run, 1, 20_000);
    expect(request).toMatchObject({
      kind: 'select',
      message: 'Nobody knows whether host.once was done. Was it?',
      options: ['done', 'not_done', 'failed'],
      context: { tool: 'host.once', arguments: { n: 1 } },
      by_host: true,
    });
    expect(JSON.stringify(request?.context)).toContain(problem);
    expect(calls).toHaveLength(1);
    act = () => 'done now';
    await around.server.tactus.decide({ request: request?.id ?? '', value: 'not_done', by: 'ann' });
    expect(await run.result()).toEqual({ ok: true, what: 'done now' });
    const keys = calls.map(({ context }) => context.idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    await replays(run);
  });

  it.each<[string, JsonValue]>([
    ['done', { ok: true, what: { outcome: 'done', said_by: 'ann', comment: 'I saw it' } }],
    ['failed', { ok: false, what: expect.stringContaining('it was left so') as unknown as JsonValue }],
  ])('is settled by a person as %s', async (value, result) => {
    act = () => Promise.reject(new Error('lost'));
    const run = await start(caught);
    const [request] = await pendingOf(run);
    await around.server.tactus.decide({ request: request?.id ?? '', value, by: 'ann', comment: 'I saw it' });
    expect(await run.result()).toEqual(result);
    expect(calls).toHaveLength(1);
  });

  it('is an error of its own where the file wants that', async () => {
    act = () => Promise.reject(new Error('lost'));
    const run = await start(`
      local act = Tool { use = "host.once", on_unknown = "error" }
      local ok, what = pcall(act, { n = 1 })
      return { ok, tostring(what) }`);
    expect(await run.result()).toEqual([
      false,
      expect.stringContaining('nobody knows whether once was done: host.once: lost'),
    ]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['true', null],
    ['{ done = true, result = "found" }', 'found'],
  ])('is looked for by verify = function … %s', async (found, result) => {
    act = () => Promise.reject(new Error('lost'));
    const run = await start(`
      local seen
      local act = Tool { use = "host.once", verify = function(args) seen = args.n return ${found} end }
      return { result = act({ n = 7 }) or "nothing", seen = seen }`);
    expect(await run.result()).toEqual({ result: result ?? 'nothing', seen: 7 });
    expect(calls).toHaveLength(1);
  });

  it('is called again where verify says that it was not done, and a person is asked in the end', async () => {
    act = () => Promise.reject(new Error('lost'));
    const run = await start(`
      local act = Tool { use = "host.once", verify = function() return false end }
      return act({ n = 7 })`);
    const [request] = await pendingOf(run, 1, 20_000);
    expect(calls).toHaveLength(4);
    await around.server.tactus.decide({ request: request?.id ?? '', value: 'done', by: 'ann' });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  it('is looked into where its worker is told to end in the middle of it', async () => {
    act = () => new Promise(() => undefined);
    const run = await start(caught);
    await waitUntil(() => Promise.resolve(calls.length > 0));
    await worker.stop();
    act = () => 'done now';
    worker = await startWorker(around.server, { activities: { tools } });
    const [request] = await pendingOf(run, 1, 20_000);
    expect(request?.message).toBe('Nobody knows whether host.once was done. Was it?');
    expect(calls).toHaveLength(1);
    await around.server.tactus.decide({ request: request?.id ?? '', value: 'not_done' });
    expect(await run.result()).toEqual({ ok: true, what: 'done now' });
  });

  it('stays one whatever a file says of it', async () => {
    act = () => Promise.reject(new Error('lost'));
    const run = await start('return Tool { use = "host.once", effect = "pure" }({ n = 1 })');
    const [request] = await pendingOf(run);
    await around.server.tactus.decide({ request: request?.id ?? '', value: 'done' });
    await run.result();
    expect(calls).toHaveLength(1);
  });

  it("is looked for by the tool's own verify", async () => {
    act = () => Promise.reject(new Error('lost'));
    verify = () => ({ done: true, result: 'found by the tool' });
    const run = await start('return Tool { use = "host.verified" }({ n = 7 })');
    expect(await run.result()).toBe('found by the tool');
    expect(calls).toHaveLength(1);
    expect(await types(run)).toContain('1.1 tool_attempt verified completed');
  });
});

describe('the policy of the worker', () => {
  const rules = (given: object[]) => ({ toolPolicy: { default: 'allow' as const, rules: given as never } });

  it('forbids a call, whatever the run was told, and nothing is done', async () => {
    const run = await start(caught, rules([{ tool: 'once', action: 'deny' }]));
    expect(await run.result()).toMatchObject({
      ok: false,
      what: expect.stringContaining('once was not called: the policy forbids host.once') as unknown,
    });
    expect(calls).toHaveLength(0);
  });

  it('has a person asked, with the arguments, and the call is done once after a yes', async () => {
    const run = await start(caught, rules([{ tool: 'host.*', action: 'approve', approvers: ['ann'] }]));
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      kind: 'approval',
      message: 'Allow this call of host.once?',
      approvers: ['ann'],
      context: { tool: 'host.once', arguments: { n: 1 }, effect: 'once', procedure: 'main' },
      by_host: true,
    });
    expect(calls).toHaveLength(0);
    const verdict = await around.server.tactus.decide({ request: request?.id ?? '', value: true, by: 'bob' });
    expect(verdict.outcome).toBe('not_allowed');
    await around.server.tactus.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toEqual({ ok: true, what: { doubled: 2 } });
    expect(calls.map(({ context }) => context.approvedBy)).toEqual(['ann']);
    await replays(run);
  });

  it('is a no where a person says no', async () => {
    const run = await start(caught, rules([{ tool: 'once', action: 'approve' }]));
    const [request] = await pendingOf(run);
    await around.server.tactus.decide({
      request: request?.id ?? '',
      value: false,
      by: 'ann',
      comment: 'too much',
    });
    expect(await run.result()).toMatchObject({
      ok: false,
      what: expect.stringContaining('once was not called: ann said no: too much') as unknown,
    });
    expect(calls).toHaveLength(0);
  });

  it('speaks of arguments', async () => {
    const run = await start(
      `${act1} act({ n = 3 }) act({ n = 300 }) return act.call_count()`,
      rules([{ tool: 'once', when: { n: { above: 100 } }, action: 'approve' }]),
    );
    const [request] = await pendingOf(run);
    expect(request?.context).toMatchObject({ arguments: { n: 300 } });
    expect(calls.map(({ args }) => args)).toEqual([{ n: 3 }]);
    await around.server.tactus.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toBe(2);
  });

  it.each([
    ['tool', 1, ', and all later ones in this run'],
    ['arguments', 2, ''],
  ])('remembers a yes for the %s', async (remember, requests, more) => {
    const run = await start(
      `${act1} act({ n = 1 }) act({ n = 1 }) act({ n = 2 }) act({ n = 2 }) return act.call_count()`,
      rules([{ tool: 'once', action: 'approve', remember }]),
    );
    for (let i = 0; i < requests; i++) {
      const [request] = await pendingOf(run);
      expect(request?.message).toBe(`Allow this call of host.once${more}?`);
      await around.server.tactus.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    }
    expect(await run.result()).toBe(4);
    expect(calls).toHaveLength(4);
    await replays(run);
  });

  it('and the tool itself may want a yes', async () => {
    const run = await start(`
      local act = Tool { use = "host.guarded" }
      return { act({ n = 1 }).by == nil, act({ n = 11 }).by }`);
    const [request] = await pendingOf(run);
    await around.server.tactus.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toEqual([true, 'ann']);
  });
});
