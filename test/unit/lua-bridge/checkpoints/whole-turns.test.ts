import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { Message, ModelCallResult, ToolCall } from '../../../../src/contract/models/model-call.js';
import { asJson, type JsonObject } from '../../../../src/contract/json/json.js';
import {
  answerOf,
  runFake,
  type FakeOptions,
  type FakeRun,
  type Perform,
} from '../../../support/fake-host.js';

const words = 'The answer is long enough that nobody would want to hand it over twice. '.repeat(4);

function argumentsOf(tool: string): JsonObject {
  if (tool === 'planning_setup_plan') return { objective: 'To answer', initial_steps: ['Think'] };
  if (tool === 'planning_add_step') return { steps: ['Say it'] };
  if (tool === 'planning_update_step') return { step_id: 1, status: 'done' };
  return tool.startsWith('planning') ? {} : { message: 'Look' };
}

/** A model that calls each of its tools once in a turn, one after the other, and then answers. */
const answering: Perform = (effect, request) => {
  if (effect.kind !== 'model_call') return answerOf(effect, request);
  const { messages, tools } = effect.call;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(asked).filter(({ role }: Message) => role === 'tool').length;
  const tool = tools[since];
  const toolCalls: ToolCall[] =
    tool === undefined
      ? []
      : [{ id: `call-${request.position}`, name: tool.name, arguments: argumentsOf(tool.name) }];
  return asJson<ModelCallResult>({
    text: toolCalls.length === 0 ? `${words}${messages.length}` : '',
    toolCalls,
    usage: { input_tokens: messages.length, output_tokens: 2 },
    model: 'openai/gpt-5-mini',
    finishReason: toolCalls.length === 0 ? 'stop' : 'tool_calls',
  });
};

function both(source: string, often: readonly number[], options: FakeOptions = {}): [FakeRun, FakeRun[]] {
  const all = { perform: answering, ...options };
  const handed = often.map((every) =>
    runFake(source, { ...all, handsOver: (effects) => effects > 0 && effects % every === 0 }),
  );
  return [runFake(source, all), handed];
}

/** What people see of a run when it has ended, and what it used. */
function seen({ ended, program, performed }: FakeRun): unknown {
  if (ended?.kind === 'failed') throw ended.error;
  return {
    ...{ ended, performed, count: program.log.count },
    ...{ state: program.state(), budgets: program.budgets(), session: program.session() },
  };
}

const wholeOf = (log: readonly Checkpoint[] = []): string[] =>
  log.filter(({ snapshot }) => snapshot !== undefined).map(({ position }) => position);

/** A conversation of so many turns. @param agent what its agent has besides @param each what is done after each turn */
const chat = (agent: string, turns: number, { before = '', each = '' } = {}): string => `
  ${before}
  helper = Agent { model = "openai/gpt-5-mini", system_prompt = "Help.", budget = { turns = 1000, tokens = 1000000 }, ${agent} }
  main = Procedure { function()
    local all = {}
    for i = 1, ${turns} do
      local result = helper("Question " .. i)
      all[i] = #result.output + result.usage.total_tokens
      print("turn " .. i .. " " .. math.random(100))
      ${each}
    end
    local said = {}
    for i, message in ipairs(MessageHistory.get()) do said[i] = message.id .. message.role .. message.content end
    return { all = all, said = said, seen = seen or 0, chance = math.random(1000), at = os.time(), clock = os.clock(), id = tostring({}) }
  end }`;

describe('a turn that ran no Lua', () => {
  it.each<[string, string]>([
    ['one question and one answer', chat('', 12)],
    ['tools of a worker', chat('tools = { Tool { use = "host.lookup" }, Tool { use = "host.other" } }', 6)],
    ['tools of the run', chat('toolsets = { PlanningTools {} }', 5)],
    [
      'an agent as its tool',
      chat('tools = { inner }', 6, {
        before: 'inner = Agent { name = "inner", model = "openai/gpt-5-mini", description = "Knows more" }',
      }),
    ],
    ['a summary of what is older', chat('message_history = { compact = { over = 200, keep = 50 } }', 8)],
    ['a history of its own each time', chat('message_history = { mode = "isolated" }', 6)],
    [
      'declarations beside it',
      chat('', 6, { each: 'if i == 3 then Tool { name = "late", function() end } end' }),
    ],
    ['changes of the conversation', chat('', 8, { each: 'if i % 3 == 0 then MessageHistory.clear() end' })],
    [
      'calls that are counted',
      chat('tools = { Tool { name = "say", use = "host.say" } }', 6, {
        each: 'all[i] = all[i] + Tool.call_count("say")',
      }),
    ],
    [
      'a turn in branches',
      chat('', 4, { each: 'Parallel{ function() helper("left") end, function() helper("right") end }' }),
    ],
    [
      'a round of a loop around it',
      chat('', 3, {
        each: 'DurableLoop { request = {}, body = function() helper("in the loop") return 1 end }',
      }),
    ],
  ])('comes to the same with %s, wherever its run continues as new', (_, source) => {
    const [whole, handed] = both(source, [1, 2, 3, 7]);
    for (const each of handed) expect(seen(each)).toEqual(seen(whole));
    expect(handed.some((each) => wholeOf(each.handed.at(-1)).length > 0)).toBe(true);
    expect(whole.program.log.entries.filter(({ outcome }) => !outcome.ok)).toEqual([]);
  });

  it('is handed over as one checkpoint, which has what the turn has changed alone', () => {
    const [whole, [handed]] = both(chat('', 100), [40]);
    expect(handed && seen(handed)).toEqual(seen(whole));
    const last = handed?.handed.at(-1) ?? [];
    expect(last.map(({ type, position }) => `${type} ${position}`)).toEqual(
      Array.from({ length: 80 }, (_, i) => `agent_turn ${i}`),
    );
    const sizes = last.map((entry) => JSON.stringify(entry).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(300);
  });

  it('is one where it called tools of a worker, whatever they gave', () => {
    const source = chat('tools = { Tool { use = "host.lookup" } }', 9);
    const [, [handed]] = both(source, [8]);
    const last = handed?.handed.at(-1) ?? [];
    expect(wholeOf(last).length).toBeGreaterThan(3);
    // The list of tools, and no more than what the turn has that is under way.
    expect(last.filter(({ type }) => type !== 'agent_turn').length).toBeLessThan(6);
  });

  const counted = `Tool { name = "count", function() seen = (seen or 0) + 1 return seen end }`;
  it.each<[string, string]>([
    ['a tool that is a function', chat(`tools = { ${counted} }`, 5)],
    [
      'a tool of a worker beside one that is a function',
      chat(`tools = { Tool { use = "host.a" }, ${counted} }`, 4),
    ],
    [
      'a function that prepares it',
      chat('prepare = function() seen = (seen or 0) + 1 return { n = seen } end', 5),
    ],
    [
      'a system prompt that is a function',
      chat('', 5).replace('"Help."', 'function() seen = (seen or 0) + 1 return "Help" end'),
    ],
    [
      'a filter that is a function',
      chat('message_history = { filter = function(all) seen = (seen or 0) + 1 return all end }', 5),
    ],
    [
      'a plan that a function observes',
      chat('toolsets = { PlanningTools {} }', 5, {
        before: 'seen = 0 slice = Session.slice("Plan") slice.observe(function() seen = seen + 1 end)',
      }),
    ],
    [
      'an agent as its tool that has such a tool',
      chat('tools = { inner }', 5, {
        before: `inner = Agent { name = "inner", model = "openai/gpt-5-mini", tools = { ${counted} } }`,
      }),
    ],
  ])('is none with %s: its functions run again', (_, source) => {
    const [whole, handed] = both(source, [1, 2, 5]);
    for (const each of handed) {
      expect(seen(each)).toEqual(seen(whole));
      expect(each.handed.flatMap(wholeOf)).toEqual([]);
    }
    expect(whole.ended).toMatchObject({ output: { seen: expect.any(Number) as number } });
    expect(whole.ended).not.toMatchObject({ output: { seen: 0 } });
  });

  it('is no place that the rest of the run can look into', () => {
    const source = chat('', 4, {
      each: 'all[i] = tostring(Checkpoint.exists("0")) .. tostring(Checkpoint.exists("0.0"))',
    });
    const [whole, handed] = both(source, [1, 3]);
    for (const each of handed) expect(seen(each)).toEqual(seen(whole));
    expect(whole.ended).toMatchObject({ output: { all: Array(4).fill('truefalse') } });
  });

  it('is one in engine 10 alone', () => {
    const [whole, handed] = both(chat('', 6), [2], { engine: 9 });
    for (const each of handed) {
      expect(seen(each)).toEqual(seen(whole));
      expect(each.handed.flatMap(wholeOf)).toEqual([]);
    }
  });

  it('costs a replay less than the whole of it', () => {
    const [whole, [handed]] = both(chat('', 60), [50]);
    expect(handed?.program.instructions).toBeLessThan((whole.program.instructions ?? 0) / 2);
  });
});
