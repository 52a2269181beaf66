import { describe, expect, it } from 'vitest';
import { describeSource } from '../../../../src/client/procedures/describe-source.js';
import { converse, sent, type Answer } from '../../../support/converse.js';
import { procedureSource } from '../../../support/procedure-source.js';

const paris = { text: '{"answer": "Paris"}' };
const qa = (more = ''): string => `qa = Module { signature = "question -> answer"${more} } `;
const ask = (body: string, ...answers: Answer[]) => converse(body, answers);

describe('a module', () => {
  it('asks for its outputs, and gives them by name', () => {
    const { calls, output } = ask(`${qa()}return qa({ question = "Capital of France?" })`, paris);
    expect(output).toEqual({ answer: 'Paris' });
    const [call] = calls;
    expect(call).toMatchObject({ agent: 'qa', model: null, tools: [], settings: {} });
    expect(call?.system).toContain('Your input fields are:\n1. `question` (string)\n');
    expect(call?.system).toContain('Your output fields are:\n1. `answer` (string)\n');
    expect(call?.system).toContain('Given the fields `question`, produce the fields `answer`.');
    expect(sent(call)).toBe(
      'user: [[ ## question ## ]]\nCapital of France?\n\nRespond with a JSON object with the fields `answer`.',
    );
    expect(call?.outputSchema).toEqual({
      type: 'object',
      properties: { answer: { type: 'string' } },
      required: ['answer'],
      additionalProperties: false,
    });
  });

  it('is a prediction in the log, of what it was asked', () => {
    const { program } = ask(`${qa()}qa({ question = "q" })`, paris);
    expect(program.log.entries.map(({ type, name, position }) => `${position} ${type} ${name}`)).toEqual([
      '0.0 model_call qa',
      '0 model_predict qa',
    ]);
    expect(program.log.entries.at(-1)).toMatchObject({ input: { question: 'q' } });
  });

  it('is not asked again where the log has its answer', () => {
    const body = `${qa()}return qa({ question = "q" }).answer`;
    const { program } = ask(body, paris);
    const again = converse(body, [], { carried: program.log.entries });
    expect(again.output).toBe('Paris');
    expect(again.calls).toEqual([]);
    const other = converse(body.replace('"q"', '"p"'), [], { carried: program.log.entries });
    expect(other.output).toContain('NonDeterminismError');
  });

  it.each([
    ['Module { signature = "question -> answer", name = "capitals" }', 'capitals'],
    ['Module "capitals" { signature = "question -> answer" }', 'capitals'],
    ['Module("capitals", { signature = "question -> answer" })', 'capitals'],
    ['Module("capitals")({ signature = Signature("question -> answer") })', 'capitals'],
    [
      'Module { signature = { input = { question = "string" }, output = { answer = "string" } } }',
      'module_1',
    ],
  ])('is written %s', (form, name) => {
    const { calls, output } = ask(
      `local it = ${form} return { it({ question = "q" }).answer, it.name, it.strategy }`,
      paris,
    );
    expect(calls[0]?.agent).toBe(name);
    expect(output).toEqual(['Paris', name, 'predict']);
  });

  it('may be declared twice by one name, and neither calls the other', () => {
    const { output, calls } = ask(
      `local function make() return Module "qa" { signature = "question -> answer" } end
      make() return make()({ question = "q" }).answer`,
      paris,
    );
    expect(output).toBe('Paris');
    expect(calls).toHaveLength(1);
  });

  it('shows its fields', () =>
    expect(
      ask(
        `${qa(', strategy = "chain_of_thought"')}return { qa.input_schema, qa.output_schema, qa.other == nil }`,
      ).output,
    ).toEqual([
      { question: { type: 'string', required: true } },
      {
        reasoning: { type: 'string', required: true, description: 'Your reasoning, step by step' },
        answer: { type: 'string', required: true },
      },
      true,
    ]));

  it('says what is to be done, and what of', () => {
    const { calls } = ask(
      `m = Module { signature = Signature {
        instructions = "Rate it.",
        input = { review = field.string { description = "Of a customer" } },
        output = { stars = { type = "integer", enum = { 1, 2 } }, topics = field.array { items = "string", description = "In it" } },
      } } m({ review = "x" })`,
      { text: '{"stars": 1, "topics": []}' },
    );
    expect(calls[0]?.system).toBe(
      [
        'Your input fields are:\n1. `review` (string): Of a customer',
        'Your output fields are:\n1. `stars` (one of 1, 2)\n2. `topics` (array of string): In it',
        'Each input stands below its name. Answer with a JSON object of the output fields, in their order.',
        'Your objective is: Rate it.',
      ].join('\n\n'),
    );
  });

  it.each([
    ['Module "x" {}', `Module "x" requires a 'signature'. Example: signature = "question -> answer"`],
    ['Module { signature = "a -> b", strategy = "react" }', 'the strategy "react" is not there'],
    ['Module { signature = "a -> b", temperature = 7 }', 'temperature must be a number from 0 to 2'],
    ['Module { signature = "question" }', "must contain exactly one '->' separator"],
    ['Module { signature = "a -> b", strategy = "raw" }', 'asks with the inputs system_prompt, history'],
    ['Module(nil)', 'a name or a table expected'],
  ])('%s is refused', (call, message) => expect(ask(`return ${call}`).output).toContain(message));

  it('is known before anything starts, by whom it asks', () => {
    const models = (body: string) =>
      describeSource(procedureSource(`${body} Procedure {function() end}`)).models;
    expect(models(qa(', model = "openai/gpt-x"'))).toEqual(['openai/gpt-x']);
    expect(models(`LM("openai/gpt-y") ${qa()}`)).toEqual(['openai/gpt-y']);
  });
});

describe('inputs of a module', () => {
  it('are written as text, whatever they are', () => {
    const { calls } = ask(
      `m = Module { signature = "a, b, c, d: int -> e" } m({ a = 5, b = true, c = { x = { 1 } }, d = 3 })`,
      { text: '{"e": ""}' },
    );
    expect(sent(calls[0])).toContain(
      '[[ ## a ## ]]\n5\n\n[[ ## b ## ]]\ntrue\n\n[[ ## c ## ]]\n{"x":[1]}\n\n[[ ## d ## ]]\n3\n\n',
    );
  });

  it('have their defaults, may be left out where they say so, and are those that are declared', () => {
    const { calls, program } = ask(
      `m = Module { signature = { input = {
        a = field.string { default = "x" }, b = { type = "string", required = false }, c = "string",
      }, output = { d = "string" } } } m({ c = "y", other = 1 })`,
      { text: '{"d": ""}' },
    );
    expect(sent(calls[0])).toContain('[[ ## a ## ]]\nx\n\n[[ ## c ## ]]\ny\n\nRespond');
    expect(program.log.entries.at(-1)).toMatchObject({ input: { a: 'x', c: 'y' } });
  });

  it.each([
    ['qa({})', 'Missing required field: question'],
    ['qa()', 'qa takes a table of its inputs'],
    ['qa("hello")', 'qa takes a table of its inputs'],
    ['qa({ "hello" })', 'qa takes a table of its inputs'],
    ['qa({ question = print })', 'question is a function'],
    [
      'Module { signature = "n: int -> a" } ({ n = "abc" })',
      'Field n must be an integer, got the string "abc"',
    ],
    ['Module { signature = "k: Literal[1] -> a" } ({ k = 2 })', 'Field k must be one of 1, got 2'],
  ])('%s is refused', (call, message) => {
    const { calls, output } = ask(`${qa()}return ${call}`);
    expect(output).toContain(message);
    expect(calls).toEqual([]);
  });
});
