import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { converse } from '../../../support/converse.js';
import { answerOf, type FakeOptions } from '../../../support/fake-host.js';
import { agent, paid, people } from './paying.js';

describe('a run that goes on from its log', () => {
  const source = `${agent('turns = 2')} local said = {} for i = 1, 4 do said[i] = worker("go").output end return said`;
  const run = (text: string, carried: readonly Checkpoint[], answers: JsonValue[]) => {
    const { options, asked } = people(answers);
    return { ...converse(text, [], { ...options, carried }), asked };
  };
  const whole = run(source, [], ['unlimited']);

  it('asks nobody again, and has what was given', () => {
    for (let kept = 0; kept <= whole.program.log.entries.length; kept++) {
      const { output, asked } = run(source, whole.program.log.entries.slice(0, kept), ['unlimited']);
      expect(output).toEqual(whole.output);
      expect(asked.length).toBeLessThanOrEqual(1);
    }
    expect(run(source, whole.program.log.entries, []).asked).toEqual([]);
  });

  it('asks nobody for what failed because a person had given no more, though the log has something else there', () => {
    const refused = `
      worker = Agent { system_prompt = "Work" }
      Procedure { budget = { turns = 1, tokens = 50 }, function()
        local said = {}
        for i = 1, 3 do
          said[#said + 1] = tostring((select(2, pcall(worker, "go"))))
          said[#said + 1] = tostring((select(2, pcall(Procedure.run, "child.tac", { i = i }))))
          said[#said + 1] = Human.input("what " .. i .. "?")
        end
        return #said
      end }`;
    const asked: string[] = [];
    const options = (carried: readonly Checkpoint[]): FakeOptions => ({
      files: { 'child.tac': 'Procedure { function() return 1 end }' },
      carried,
      perform: (effect, request) => {
        if (effect.kind !== 'human') return answerOf(effect, request);
        asked.push(effect.ask.message);
        return { value: 'stop', timed_out: false, by: 'ann', comment: null };
      },
    });
    const all = converse(refused, [paid(60)], options([]));
    expect(all.output).toBe(9);
    const questions = asked.splice(0);
    expect(questions.filter((message) => message.startsWith('Go beyond'))).toHaveLength(2);
    const { entries } = all.program.log;
    for (let kept = 0; kept <= entries.length; kept++) {
      const { output } = converse(refused, [paid(60)], options(entries.slice(0, kept)));
      expect(output, `${kept} entries`).toBe(9);
      expect(asked.splice(0).length, `${kept} entries`).toBeLessThanOrEqual(questions.length);
    }
  });

  it('never refuses what was paid for: a smaller budget holds from then on', () => {
    const first = whole.program.log.entries.slice(0, 4);
    const { output, asked } = run(source.replace('turns = 2', 'turns = 1'), first, ['unlimited']);
    expect(output).toEqual(whole.output);
    expect(asked).toHaveLength(1);
  });
});
