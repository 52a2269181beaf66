import { describe, expect, it } from 'vitest';
import type { EffectRequest } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import type { Program } from '../../../../src/lua-bridge/index.js';
import { answerOf, fakeProgram, outputOf, runStart, type FakeOptions } from '../../../support/fake-host.js';
import { converse, toolCall } from '../../../support/converse.js';
import { agent, paid, people } from './paying.js';

const tryTwice = `
  local results = {}
  for i = 1, 2 do
    local ok, result = pcall(worker, "go")
    results[i] = ok and (result.exhausted or result.output) or tostring(result)
  end
  return results`;

describe('a budget', () => {
  it('is an error where it says so, and nothing is asked then', () => {
    const { output, calls } = converse(agent('tokens = 100, on_exhausted = "error"') + tryTwice, [paid(120)]);
    expect(output).toEqual([
      'said',
      expect.stringContaining(
        'worker: a call of the default model is beyond the budget of worker: 120 of 100 tokens used',
      ),
    ]);
    expect(calls).toHaveLength(1);
  });

  it('stops a turn where it says so, with what the model said last', () => {
    const source = `
      count = Tool { description = "Counts", input = {}, function() return 1 end }
      ${agent('turns = 5, tool_calls = 1, on_exhausted = "stop"', 'tools = { count }')}
      local result = worker("go")
      return { result.output, result.exhausted, #result.messages }`;
    const calls = [toolCall('count', {}, 'a'), toolCall('count', {}, 'b')];
    const { output } = converse(source, [{ text: 'Counting', toolCalls: calls }]);
    const stop = { budget: 'worker', what: 'tool_calls', limit: 1, used: 1 };
    expect(output).toEqual(['Counting', stop, 4]);
  });

  it('asks a person for more, as often as it is used up', () => {
    const { options, asked } = people(['more', 'unlimited']);
    const source = `${agent('turns = 1')} for i = 1, 4 do worker("go") end return Budget.left()`;
    expect(converse(source, [], options).output).toEqual([]);
    expect(asked.map(({ message }) => message)).toEqual([
      'Go beyond the budget of worker? 1 of 1 turns used',
      'Go beyond the budget of worker? 2 of 2 turns used',
    ]);
    expect(asked[0]).toMatchObject({
      kind: 'select',
      options: ['more', 'unlimited', 'stop'],
      context: { budget: 'worker', measure: 'turns', limit: 1, used: 1, next: 'a turn of worker' },
    });
  });

  it('is an error where the person gives no more', () => {
    const { options } = people(['stop']);
    const { output } = converse(agent('turns = 1') + tryTwice, [], options);
    expect((output as string[])[1]).toContain(
      'a turn of worker is beyond the budget of worker: 1 of 1 turns used; ann gave no more',
    );
  });

  it('counts dollars, and ends where nobody knows the price', () => {
    const cost = agent('cost = 0.5, on_exhausted = "error"') + tryTwice;
    expect((converse(cost, [paid(10, 0.6)]).output as string[])[1]).toContain('$0.6 of $0.5 used');
    expect((converse(cost, [paid(10, 0.1), paid(10, 0.1)]).output as string[])[1]).toBe('said');
    const { options, asked } = people(['unlimited']);
    const unpriced = agent('cost = 0.5') + tryTwice;
    expect(converse(unpriced, [paid(10)], options).output).toEqual(['said', 'hello']);
    expect(asked[0]?.message).toMatch(/isn't known, for fake\/model has no price/);
    expect(asked[0]?.options).toEqual(['unlimited', 'stop']);
  });

  it('counts time since it began', () => {
    const source = `${agent('time = "3s", on_exhausted = "error"')}
      for _ = 1, 3 do worker("go") end
      return tostring(select(2, pcall(worker, "go")))`;
    const { output, calls } = converse(source, []);
    expect(output).toContain('the budget of worker: 3 of 3 s used');
    expect(calls.map(({ settings }) => settings.timeoutMs)).toEqual([3_000, 2_000, 1_000]);
  });

  it('of a run and of its procedure bound all that is in them', () => {
    const source = `
      one = Agent { system_prompt = "One" }
      two = Agent { system_prompt = "Two" }
      Procedure { budget = { turns = 3, on_exhausted = "stop" }, function()
        one("a") two("b")
        return { Budget.left(), one("c").exhausted or "none", two("d").exhausted }
      end }`;
    const settings = { budget: { tokens: 1_000, turns: 10 } };
    const { output, program } = converse(source, [], { settings });
    expect(output).toEqual([
      { tokens: 996, turns: 1 },
      'none',
      { budget: 'the procedure', what: 'turns', limit: 3, used: 3 },
    ]);
    expect(program.budgets()).toEqual([
      {
        of: 'the run',
        on_exhausted: 'ask',
        limits: { tokens: 1_000, turns: 10 },
        used: { tokens: 6, turns: 3 },
      },
      { of: 'the procedure', on_exhausted: 'stop', limits: { turns: 3 }, used: { turns: 3 } },
    ]);
  });

  it('counts answers that had to be mended', () => {
    const source = agent('tokens = 100', 'output = { n = "integer" }') + 'worker("x") return Budget.left()';
    const { program } = converse(source, [
      { ...paid(30), text: '{"n": "x"}' },
      { ...paid(30), text: '{"n": 1}' },
    ]);
    expect(program.budgets()[0]?.used).toEqual({ tokens: 60 });
  });

  it.each([
    ['{ tokens = -1 }', 'tokens must be a whole number'],
    ['{ token = 1 }', 'unknown field token'],
    ['{ on_exhausted = "ask" }', 'bounds nothing'],
    ['{ turns = 1, on_exhausted = "explode" }', 'must be one of ask, stop, error'],
    ['{ turns = 1.5 }', 'must be a whole number'],
    ['{ cost = "much" }', 'must be an amount of US dollars'],
    ['5', 'must be a table'],
  ])('%s is refused', (budget, problem) => {
    expect(converse(`Agent { name = "a", system_prompt = "s", budget = ${budget} }`, []).output).toContain(
      problem,
    );
  });

  it('has no effect in runs of before', () => {
    const { calls } = converse(agent('turns = 1') + tryTwice, [], { engine: 4 });
    expect(calls).toHaveLength(2);
  });
});

describe('branches that share a budget', () => {
  const shared = (more: string, items: number): string => `
    worker = Agent { system_prompt = "Work", max_tokens = 50, budget = { ${more} } }
    Procedure { function()
      local said = {}
      for i = 1, ${items} do said[i] = i end
      return Parallel.map(said, function(i)
        local ok, result = pcall(worker, "go")
        return ok and result.output or "refused"
      end)
    end }`;

  it('wait for what others hold, and go on with what those leave', () => {
    // Each holds about 65: one at a time fits, and takes 10.
    const { output, performed } = converse(shared('tokens = 107, on_exhausted = "error"', 6), [
      ...[paid(10), paid(10), paid(10), paid(10), paid(10), paid(10)],
    ]);
    expect(output).toEqual(['said', 'said', 'said', 'said', 'said', 'refused']);
    expect(performed.filter((each) => each.startsWith('model_call'))).toHaveLength(5);
  });

  it('ask a person once, however many of them want more', () => {
    const { options, asked } = people(['unlimited']);
    const { output } = converse(shared('turns = 1', 8), [], options);
    expect(output).toEqual(Array.from({ length: 8 }, () => 'hello'));
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['once where a person gives no more', 9, 1],
    ['each, in runs that began before', 8, 4],
  ])('are asked about %s', (_how, engine, times) => {
    const { options, asked } = people([]);
    const { output, program } = converse(
      shared('tokens = 100', 5),
      Array.from({ length: 5 }, () => paid(120)),
      { ...options, engine },
    );
    expect(output).toEqual(['said', 'refused', 'refused', 'refused', 'refused']);
    expect(asked).toHaveLength(times);
    const again = people([]);
    const carried = program.log.entries;
    converse(shared('tokens = 100', 5), [], { ...again.options, engine, carried });
    expect(again.asked).toEqual([]);
  });

  it('are asked about again where more was given after all, and for something else', () => {
    const source = `
      ${agent('turns = 1, tokens = 100')}
      Procedure { function()
        local said = {}
        for i = 1, 4 do
          local ok, result = pcall(worker, "go")
          said[i] = ok and result.output or tostring(result)
        end
        return said
      end }`;
    const { options, asked } = people(['more', 'stop']);
    const { output } = converse(source, [paid(60), paid(60)], options);
    expect(output).toEqual([
      'said',
      'said',
      expect.stringContaining('ann gave no more'),
      expect.stringContaining('ann gave no more'),
    ]);
    expect(asked).toHaveLength(2);
  });

  it('may each have one of their own', () => {
    const source = `
      worker = Agent { system_prompt = "Work" }
      Procedure { function()
        return Parallel.map({ 1, 2, 3 }, function(i)
          for _ = 1, i do
            local stop = worker("go").exhausted
            if stop then return stop.budget .. " " .. stop.limit end
          end
          return "done"
        end, { budget = { turns = 2, on_exhausted = "stop" } })
      end }`;
    expect(converse(source, []).output).toEqual(['done', 'done', 'branch 3 2']);
  });

  it('hold nothing any more where they were given up', () => {
    const source = `
      worker = Agent { system_prompt = "Work", max_tokens = 80, budget = { tokens = 100, on_exhausted = "error" } }
      Procedure { function()
        pcall(Parallel, { function() worker("a") end, function() error("no") end })
        return worker("b").output
      end }`;
    expect(converse(source, [paid(5), paid(5)]).output).toBe('said');
  });
});

describe('what was used, and nobody waits for', () => {
  const source = `
    worker = Agent { system_prompt = "Work", budget = { tokens = 100, on_exhausted = "error" } }
    Procedure { function()
      pcall(Parallel, { function() worker("a") end, function() Human.approve("Stop?") error("no") end })
      Sleep(1)
      return (pcall(worker, "b"))
    end }`;

  it.each([9, 8])('counts with the next answer, in a replay as well (engine %i)', (engine) => {
    const isCounted = engine === 9;
    const program = fakeProgram(source, { engine });
    let at = runStart;
    const [call, stop] = blocked(program);
    program.settle(stop?.position ?? '', { ok: true, value: approval }, (at += 1_000));
    const [sleep] = blocked(program);
    expect(sleep?.type).toBe('sleep');
    // It comes from a batch that had others in it.
    program.spend({
      position: call?.position ?? '',
      usage: { input_tokens: 70, output_tokens: 50, cost_usd: null },
    });
    program.settle(sleep?.position ?? '', { ok: true, value: null }, at + 1_000);
    const next = blocked(program);
    expect(next.map(({ type }) => type)).toEqual(isCounted ? [] : ['model_call']);
    const carried = program.drain();
    expect(carried.map(({ outcome }) => outcome.spent?.length ?? 0).reduce((a, b) => a + b, 0)).toBe(
      isCounted ? 1 : 0,
    );
    const again = fakeProgram(source, { engine, carried });
    expect(blocked(again).map(({ type }) => type)).toEqual(isCounted ? [] : ['model_call']);
  });

  it('counts where an answer comes in the moment in which its branch is given up', () => {
    const program = fakeProgram(source);
    const [call, stop] = blocked(program);
    const answer = { ...(example(call) as JsonObject), ...(paid(120) as JsonObject) };
    program.settle(stop?.position ?? '', { ok: true, value: approval }, runStart + 1);
    program.settle(call?.position ?? '', { ok: true, value: answer }, runStart + 1);
    blocked(program);
    const [sleep] = blocked(program);
    program.settle(sleep?.position ?? '', { ok: true, value: null }, runStart + 2);
    expect(blocked(program)).toEqual([]);
    expect(program.turn()).toMatchObject({ kind: 'completed', output: false });
  });

  it('is never what the output of a run says of usage', () => {
    const parent = `Procedure { budget = { tokens = 100, on_exhausted = "error" }, function()
      Procedure.run("child.tac")
      return Budget.left().tokens
    end }`;
    const perform: FakeOptions['perform'] = () => ({ usage: { tokens: 'many' }, model: 'x' });
    expect(outputOf(parent, { perform })).toBe(100);
  });
});

const approval = { value: true, timed_out: false, by: 'ann', comment: null };

/** Turns until the program waits; gives what for. */
function blocked(program: Program): EffectRequest[] {
  for (;;) if (program.turn().kind !== 'slice') return program.pending;
}

function example(request: EffectRequest | undefined): JsonValue {
  return request === undefined ? null : answerOf(request.effect, request);
}

describe('runs of other files', () => {
  const files = { 'child.tac': 'Procedure { function() return 1 end }' };
  const start = (body: string, settings = {}) => {
    const budgets: JsonValue[] = [];
    const run = converse(
      `Procedure { budget = { tokens = 1000, on_exhausted = "error" }, function() ${body} end }`,
      [],
      {
        files,
        settings,
        perform: (effect, request) => {
          if (effect.kind === 'procedure' || effect.kind === 'spawn')
            budgets.push((effect.budget ?? null) as JsonValue);
          return answerOf(effect, request);
        },
      },
    );
    return { ...run, budgets };
  };

  it('are given what is left, or what they are to have of it', () => {
    const { budgets, output } = start(`
      Procedure.run("child.tac")
      Procedure.run("child.tac", {}, { budget = { tokens = 400, turns = 3, on_exhausted = "ask", approvers = { "ann" } } })
      return Budget.left()`);
    expect(budgets).toEqual([
      { tokens: 1_000, onExhausted: 'error' },
      { tokens: 400, turns: 3, onExhausted: 'ask', approvers: ['ann'] },
    ]);
    expect(output).toEqual({ tokens: 1_000 });
  });

  it('hold what they were given until their end is known', () => {
    const { output, budgets } = start(`
      local one = Procedure.spawn("child.tac", {}, { budget = { tokens = 700 } })
      local ok, problem = pcall(Procedure.spawn, "child.tac", {}, { budget = { tokens = 700 } })
      Procedure.wait(one)
      Procedure.spawn("child.tac", {}, { budget = { tokens = 700 } })
      return tostring(problem)`);
    expect(output).toContain('Procedure.spawn of child.tac is beyond the budget of the procedure');
    expect(budgets).toHaveLength(2);
  });
});
