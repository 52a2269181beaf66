import { describe, expect, it } from 'vitest';
import { converse, sent, type Answer } from '../../../support/converse.js';

const paris = { text: '{"answer": "Paris"}' };
const ask = (body: string, ...answers: Answer[]) => converse(body, answers);

describe('what was said before', () => {
  const before = `local h = History({ { role = "system", content = "Be kind." } })
    h.add({ role = "user", content = "hi" }) h.add({ role = "tool", content = "t", tool_call_id = "1" })
    h.add({ question = "2 + 2?", answer = "4", other = 1 }) `;
  const turns =
    'system: Be kind. | user: hi | user: [[ ## question ## ]]\n2 + 2? | assistant: {"answer":"4"} | user: [[ ## question ## ]]\nq\n\nRespond';

  it.each([
    ['question -> answer', 'history = h'],
    ['question, history -> answer', 'history = h'],
    ['question, history: dspy.History -> answer', 'history = h.to_dspy()'],
    ['question, said: History -> answer', 'said = h.get()'],
  ])('goes before the question: %s, %s', (signature, given) => {
    const { calls, program } = ask(
      `m = Module { signature = "${signature}" } ${before}m({ question = "q", ${given} })`,
      paris,
    );
    expect(sent(calls[0])).toContain(turns);
    expect(calls[0]?.system).toContain('Your input fields are:\n1. `question` (string)\n\n');
    expect(JSON.stringify(program.log.entries.at(-1)?.input)).toContain('{"role":"user","content":"hi"}');
  });

  it("needn't be there", () => {
    const { calls } = ask(
      'm = Module { signature = "question, history: dspy.History -> answer" } m({ question = "q" })',
      paris,
    );
    expect(calls[0]?.messages).toHaveLength(1);
  });
});
