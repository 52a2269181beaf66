import { describe, expect, it } from 'vitest';
import type { MockPlan } from '../../../../src/contract/mocks/mock-plan.js';
import { converse } from '../../../support/converse.js';

const qa = (more = ''): string => `qa = Module { signature = "question -> answer"${more} } `;

describe('mocks of modules', () => {
  const all: MockPlan = { all: true, agents: {}, results: {}, people: null };
  const mocked = (body: string) => converse(body, [], { mock: all });

  it('answer in place of the model, in turn or by what is asked', () => {
    const { output, calls, program } = mocked(`${qa(', strategy = "chain_of_thought"')}
      Mocks {
        qa = { temporal = { { answer = "a" }, { answer = "b", reasoning = "So" } } },
        sum = { conditional = { { when = { text = "contains: x" }, returns = { sum = "X" } } } },
      }
      sum = Module { signature = "text -> sum, n: int" }
      return { qa({ question = "1" }), qa({ question = "2" }), sum({ text = "a x" }) }`);
    expect(output).toEqual([{ answer: 'a' }, { answer: 'b', reasoning: 'So' }, { sum: 'X' }]);
    expect(calls).toEqual([]);
    expect(program.log.entries.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'model_predict qa',
      'model_predict qa',
      'model_predict sum',
    ]);
  });

  it('are made up where none is written, and refused where they have another form', () => {
    expect(
      mocked('m = Module { signature = "a -> b, c: int, d: Literal[\'x\', \'y\']" } return m({ a = "1" })')
        .output,
    ).toEqual({ b: 'Mocked b from m', c: 1, d: 'x' });
    expect(
      mocked(`${qa()}Mocks { qa = { returns = { answer = 5 } } } return qa({ question = "q" })`).output,
    ).toBe('Field answer must be a string, got the number 5');
  });
});
