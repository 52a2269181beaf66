import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { Budget } from '../../../../src/contract/budgets/budget.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { answerOf, type FakeOptions } from '../../../support/fake-host.js';
import { converse } from '../../../support/converse.js';

const agent = 'worker = Agent { system_prompt = "Work" }\n';
const loop = `${agent}local n = 0 for i = 1, 7 do if pcall(worker, "go") then n = n + 1 end end return n`;

/** A run with a ceiling, and a person who gives these answers, one after the other. */
function run(source: string, answers: JsonValue[], more: FakeOptions = {}) {
  const asked: string[] = [];
  const children: (Budget | undefined)[] = [];
  const ran = converse(source, [], {
    settings: { modelCalls: 3 },
    perform: (effect, request) => {
      if (effect.kind === 'spawn' || effect.kind === 'procedure') children.push(effect.budget);
      if (effect.kind !== 'human') return answerOf(effect, request);
      asked.push(effect.ask.message);
      return { value: answers[asked.length - 1] ?? 'stop', timed_out: false, by: 'ann', comment: null };
    },
    ...more,
  });
  return { ...ran, asked, children };
}

const question = 'Go beyond the budget of the run? 3 of 3 calls of models used';

describe('the ceiling on calls of models', () => {
  it('asks a person before a call is made beyond it, for as many again', () => {
    const { output, asked, calls } = run(loop, ['more']);
    expect(asked).toEqual([question, question.replaceAll('3', '6')]);
    expect([output, calls.length]).toEqual([6, 6]);
  });

  it('is lifted by one answer, and its refusal is said once and caught', () => {
    expect(run(loop, ['unlimited'])).toMatchObject({ output: 7, asked: [question] });
    expect(run(loop, ['stop'])).toMatchObject({ output: 3, asked: [question] });
  });

  it.each([{ settings: { modelCalls: 0 } }, { settings: {} }, { engine: 8 }])('is none with %j', (more) => {
    expect(run(loop, [], more)).toMatchObject({ output: 7, asked: [] });
  });

  it('is asked about once by branches that run side by side', () => {
    const source = `${agent}return #Parallel.map({ 1, 2, 3, 4, 5, 6 }, function(i) return worker("go " .. i).output end)`;
    expect(run(source, ['unlimited'])).toMatchObject({ output: 6, asked: [question] });
  });

  it('is no budget that a procedure sees, or that it gives to others', () => {
    const files = { 'child.tac': 'Procedure { function() return 1 end }' };
    const source = `${agent}worker("go") Procedure.run("child.tac", {}) return { left = Budget.left() }`;
    const { output, children, program } = run(source, [], { files });
    expect(output).toEqual({ left: [] });
    expect([children, program.budgets()]).toEqual([[undefined], []]);
  });

  it('counts beside budgets, which count calls too', () => {
    const source = `worker = Agent { system_prompt = "Work", budget = { model_calls = 2, on_exhausted = "error" } }
      local n = 0 while pcall(worker, "go") do n = n + 1 end return { n, Budget.left().model_calls == nil }`;
    expect(run(source, [])).toMatchObject({ output: [2, true], asked: [] });
  });

  it('has what was given, wherever a run goes on from its log', () => {
    const whole = run(loop, ['more', 'unlimited']);
    expect(whole.output).toBe(7);
    const { entries } = whole.program.log;
    for (let kept = 0; kept <= entries.length; kept++) {
      const carried: readonly Checkpoint[] = entries.slice(0, kept);
      const given = carried.filter(({ type }) => type === 'hitl_select').length;
      const again = run(loop, ['more', 'unlimited'].slice(given), { carried });
      expect([kept, again.output, again.asked.length]).toEqual([kept, 7, 2 - given]);
    }
  });
});
