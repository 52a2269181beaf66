import { describe, expect, it } from 'vitest';
import { answerOf, outputOf, runFake, type Perform } from '../../../support/fake-host.js';

const polls = `Procedure {
  input = { left = field.number{default = 3} },
  state = { seen = field.number{default = 0} },
  function(input)
    state.seen = state.seen + 1
    Sleep(1)
    if input.left > 0 then Procedure.continue_as_new{left = input.left - 1} end
    return { seen = state.seen, left = input.left }
  end,
}`;

describe('Procedure.continue_as_new', () => {
  it('begins again from the top, with another input and the state', () => {
    const { ended, performed, passes } = runFake(polls);
    expect(ended).toEqual({ kind: 'completed', output: { seen: 4, left: 0 } });
    expect(performed).toEqual([
      ...['sleep 0', 'continue_as_new 1', 'sleep 2', 'continue_as_new 3'],
      ...['sleep 4', 'continue_as_new 5', 'sleep 6'],
    ]);
    expect(passes.map(({ number, position, checkpoints }) => [number, position, checkpoints])).toEqual([
      [1, 2, 1],
      [2, 4, 2],
      [3, 6, 3],
    ]);
  });

  it('goes on with the same input where none is given', () => {
    const source = `Procedure { input = { name = field.string{} }, function(input)
      Sleep(1)
      if state.again == nil then state.again = true Procedure.continue_as_new() end
      return input.name
    end }`;
    expect(outputOf(source, { input: { name: 'ann' } })).toBe('ann');
  });

  it('is there for a script, too', () => {
    const source = `state.n = (state.n or 0) + 1
      Sleep(1)
      if state.n < 3 then Procedure.continue_as_new() end
      return state.n`;
    expect(outputOf(source)).toBe(3);
  });

  it('goes on with the clock, and has chance of its own in each pass', () => {
    const source = `Procedure { function(input)
      Sleep(1)
      state.times = state.times or {}
      table.insert(state.times, os.time())
      state.chances = state.chances or {}
      table.insert(state.chances, math.random(1000000))
      if #state.times < 3 then Procedure.continue_as_new() end
      return { times = state.times, chances = state.chances }
    end }`;
    const { times, chances } = outputOf(source) as { times: number[]; chances: number[] };
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 1, 2]);
    expect(new Set(chances).size).toBe(3);
    expect(outputOf(source)).toEqual({ times, chances });
  });

  it('counts what budgets bound over all passes', () => {
    const source = `Procedure {
      budget = { turns = 3, on_exhausted = "error" },
      function(input)
        state.turns = (state.turns or 0) + 1
        Agent.run{prompt = "Go", model = "openai/gpt-5-mini"}
        Procedure.continue_as_new()
      end,
    }`;
    const { ended, passes } = runFake(source);
    expect(ended).toMatchObject({ kind: 'failed', error: { code: 'budget_exhausted' } });
    expect(passes).toHaveLength(3);
    expect(passes.at(-1)?.state).toEqual({ turns: 3 });
  });

  it('counts the ceiling on calls of models over all passes, and what people gave', () => {
    const source = `Procedure { function(input)
      state.calls = (state.calls or 0) + 1
      Agent.run{prompt = "Go", model = "openai/gpt-5-mini"}
      if state.calls < 6 then Procedure.continue_as_new() end
      return state.calls
    end }`;
    const more: Perform = (effect, request) =>
      effect.kind === 'human'
        ? { value: 'more', timed_out: false, by: null, comment: null }
        : answerOf(effect, request);
    const { ended, performed } = runFake(source, { settings: { modelCalls: 2 }, perform: more });
    expect(ended).toEqual({ kind: 'completed', output: 6 });
    // A person is asked after 2 and 4 calls, and gives as many again.
    expect(performed.filter((each) => each.startsWith('hitl_'))).toHaveLength(2);
  });

  const inside = 'is for the main procedure';
  it.each([
    ['step("s", function() Procedure.continue_as_new() end)', inside],
    ['Parallel.map({1}, function() Procedure.continue_as_new() end)', inside],
    ['local other = Procedure("other", {}, function() Procedure.continue_as_new() end) other()', inside],
    ['checkpoint(function() Procedure.continue_as_new() end)', inside],
  ])('%s is refused', (body, message) => {
    expect(() => outputOf(`Procedure { function(input) Sleep(1) ${body} end }`)).toThrow(message);
  });

  it('needs something recorded before it, or the run would begin again for ever', () => {
    expect(() => outputOf('Procedure { function() Procedure.continue_as_new() end }')).toThrow(
      'needs something recorded before it',
    );
    const later = `Procedure { function(input)
      if not input.again then Sleep(1) end
      Procedure.continue_as_new{again = true}
    end }`;
    expect(() => outputOf(later)).toThrow('needs something recorded before it');
  });

  it('leaves no spawned run behind', () => {
    const source = (before: string): string => `Procedure { function(input)
      local child = Procedure.spawn("child.tac")
      ${before}
      if not input.again then Procedure.continue_as_new{again = true} end
      return "done"
    end }`;
    const files = { 'child.tac': 'Procedure { function() end }' };
    expect(() => outputOf(source(''), { files })).toThrow("can't leave runs behind: run/0");
  });

  it('refuses an input that the procedure does not take, and state that it does not declare', () => {
    const source = (body: string): string => `Procedure {
      input = { n = field.number{default = 1} },
      state = { list = field.array{default = {}} },
      function(input) Sleep(1) ${body} end,
    }`;
    expect(() => outputOf(source('Procedure.continue_as_new{n = "x"}'))).toThrow(/n/);
    const caught = source('local ok, e = pcall(Procedure.continue_as_new, {n = "x"}) return tostring(ok)');
    expect(outputOf(caught)).toBe('false');
    expect(() => outputOf(source('state.f = function() end'))).toThrow();
  });

  it('is not there for runs of engines before', () => {
    expect(outputOf('return Procedure.continue_as_new == nil', { engine: 9 })).toBe(true);
  });
});
