import { describe, expect, it } from 'vitest';
import { converse, sent, type Answer } from '../../../support/converse.js';

const ask = (body: string, ...answers: Answer[]) => converse(body, answers);

describe('outputs of a module', () => {
  const typed =
    "m = Module { signature = \"text -> score: float, tags: list[str], kind: Literal['a', 'b'], n: Optional[int], who: Optional[Literal['x']]\" } ";

  it('are held to their types', () => {
    const { calls, output } = ask(`${typed}return m({ text = "x" })`, {
      text: '{"score": 0.5, "tags": ["t"], "kind": "a", "n": null, "who": "x", "more": 1}',
    });
    expect(output).toEqual({ score: 0.5, tags: ['t'], kind: 'a', who: 'x' });
    expect(calls[0]?.outputSchema).toEqual({
      type: 'object',
      properties: {
        score: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
        kind: { type: 'string', enum: ['a', 'b'] },
        n: { type: ['integer', 'null'] },
        who: { type: ['string', 'null'], enum: ['x', null] },
      },
      required: ['score', 'tags', 'kind', 'n', 'who'],
      additionalProperties: false,
    });
  });

  it.each([
    ['words', "the model's answer is no JSON"],
    ['{"score": "much", "tags": [], "kind": "a"}', 'Field score must be a number, got the string "much"'],
    ['{"score": 1, "tags": [], "kind": "z"}', 'Field kind must be one of "a", "b"'],
    ['{"score": 1, "tags": []}', 'Missing required field: kind'],
    ['[1]', 'Expected an object with the fields score, tags, kind'],
  ])('%s is mended', (text, mistake) => {
    const { calls, output } = ask(
      `${typed}return m({ text = "x" }).score`,
      { text },
      { text: '{"score": 2, "tags": [], "kind": "b"}' },
    );
    expect(output).toBe(2);
    expect(calls).toHaveLength(2);
    expect(sent(calls[1])).toContain(mistake);
  });

  it('that are never right fail, which can be caught', () => {
    const { calls, output, program } = ask(
      `${typed}local ok, what = pcall(m, { text = "x" }) return { ok, what }`,
      ...Array.from({ length: 5 }, () => ({ text: '{"score": 1}' })),
    );
    expect(output).toMatchObject([false, expect.stringContaining('Missing required field: tags, kind')]);
    expect(calls.length).toBeGreaterThan(1);
    expect(program.log.entries.at(-1)).toMatchObject({ type: 'model_predict', outcome: { ok: false } });
  });
});

describe('chain of thought', () => {
  it.each([
    ['question -> answer', 'produce the fields `answer`'],
    ['question -> answer, reasoning', 'produce the fields `answer`, `reasoning`'],
  ])('gives reasoning first: %s', (signature, objective) => {
    const { calls, output } = ask(
      `m = Module { signature = "${signature}", strategy = "chain_of_thought" } return m({ question = "q" })`,
      { text: '{"reasoning": "So", "answer": "Paris"}' },
    );
    expect(output).toEqual({ reasoning: 'So', answer: 'Paris' });
    expect(Object.keys(calls[0]?.outputSchema?.['properties'] ?? {})).toEqual(['reasoning', 'answer']);
    expect(calls[0]?.system).toContain(objective);
  });
});

describe('the strategy raw', () => {
  const raw =
    'm = Module { signature = "system_prompt, history, user_message -> response", strategy = "raw" } ';

  it('sends the words that it is given, and gives those that come back', () => {
    const { calls, output } = ask(
      `${raw}return m({ system_prompt = "S", history = "User: a\\nAssistant: b: c\\nelse", user_message = "d" })`,
      { text: '{"x": 1}' },
    );
    expect(output).toEqual({ response: '{"x": 1}' });
    expect(calls[0]).toMatchObject({ system: 'S', outputSchema: null });
    expect(sent(calls[0])).toBe('user: a | assistant: b: c | user: d');
  });

  it('needs no history and no system prompt', () => {
    const { calls } = ask(`${raw}m({ system_prompt = "", user_message = "d" })`, { text: 'x' });
    expect(calls[0]?.system).toBeNull();
    expect(sent(calls[0])).toBe('user: d');
  });
});
