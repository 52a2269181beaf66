import { describe, expect, it } from 'vitest';
import { converse } from '../../../support/converse.js';

/** What the code gives, or the message of its error. */
const outputOf = (body: string) => converse(body, []).output;

const fields = (side: 'input' | 'output', signature: string) =>
  outputOf(`return Signature(${JSON.stringify(signature)}).${side}_fields`);

const text = { type: 'string', required: true };

describe('a signature as a text', () => {
  it('names inputs and outputs, which are texts', () => {
    expect(fields('input', 'context, question -> reasoning, answer')).toEqual({
      context: text,
      question: text,
    });
    expect(fields('output', 'context, question->reasoning,answer')).toEqual({
      reasoning: text,
      answer: text,
    });
  });

  it.each([
    ['str', { type: 'string' }],
    ['string', { type: 'string' }],
    ['float', { type: 'number' }],
    ['int', { type: 'integer' }],
    ['bool', { type: 'boolean' }],
    ['list', { type: 'array', items: [] }],
    ['list[str]', { type: 'array', items: { type: 'string' } }],
    ['List[list[int]]', { type: 'array', items: { type: 'array', items: { type: 'integer' } } }],
    ['tuple[int, str]', { type: 'array', items: [] }],
    ['dict', { type: 'object' }],
    ['dict[str, list[int]]', { type: 'object' }],
    ['Any', {}],
    ['typing.Any', {}],
    ['Optional[int]', { type: 'integer', required: false }],
    ['int | None', { type: 'integer', required: false }],
    ['Union[int, None]', { type: 'integer', required: false }],
    ['Union[int, str]', {}],
    ['int | str | None', { required: false }],
    ["Literal[\"a\", 'it\\'s, -> b']", { type: 'string', enum: ['a', "it's, -> b"] }],
    ['Literal[1, -2]', { type: 'integer', enum: [1, -2] }],
    ['Literal[0.5, 1]', { type: 'number', enum: [0.5, 1] }],
    ['Literal[True]', { type: 'boolean', enum: [true] }],
    ['Literal["a", 1]', { enum: ['a', 1] }],
    ['Literal["a", None]', { type: 'string', enum: ['a'], required: false }],
  ])('has the type %s', (type, expected) => {
    const first = { required: true, ...expected };
    expect(fields('output', `text -> first: ${type}, second: ${type}`)).toEqual({ first, second: first });
  });

  it.each([
    [' -> ', "Signature cannot have empty fields on either side of '->'"],
    ['a -> ', "Signature cannot have empty fields on either side of '->'"],
    ['-> a', "Signature cannot have empty fields on either side of '->'"],
    ['a -> b -> c', "must contain exactly one '->' separator"],
    ['a, a -> b', 'Signature contains duplicate field names: a'],
    ['a -> a', 'Signature contains duplicate field names: a'],
    ['a,, b -> c', 'the name of a field expected near ,'],
    ['a, -> c', 'the name of a field expected near ->'],
    ['1a -> b', 'the name of a field expected near 1'],
    ['a b -> c', '"->" expected near b'],
    ['a -> b c', 'a comma expected near c'],
    ['a.b -> c', 'the name of a field expected near a.b'],
    ['a: -> b', 'a type expected near ->'],
    ['a: banana -> b', 'the type banana is not known'],
    ['a: list[str -> b', '"]" expected near ->'],
    ['a: Literal[-] -> b', 'a text, a number, True, False or None expected near -'],
    ['a: Literal["] -> b', 'a text, a number, True, False or None expected near "'],
    ['a: Literal[x] -> b', 'a text, a number, True, False or None expected near x'],
    ['a -> b: dspy.History', 'b: a model gives no history'],
  ])('%s is refused', (signature, message) => {
    expect(outputOf(`return Signature(${JSON.stringify(signature)})`)).toContain(message);
  });
});

it('a signature whose types are nested without end is refused', () =>
  expect(outputOf('return Signature("a -> b: " .. string.rep("list[", 100000))')).toContain(
    'its types are nested too deep',
  ));

it('a signature may have any number of types', () =>
  expect(
    outputOf(`return Signature("a -> b: Union[" .. string.rep("int, ", 200000) .. "str]").output_fields`),
  ).toEqual({ b: { required: true } }));

describe('a signature as a table', () => {
  it.each([
    ['Signature { name = "rating", %s }'],
    ['Signature "rating" { %s }'],
    ['Signature("rating", { %s })'],
    ['Signature("rating")({ %s })'],
  ])('is written %s', (form) => {
    const table = `instructions = "Rate it.", input = { text = field.string { description = "A review" } },
      output = { stars = field.integer {} }`;
    const signature = form.replace('%s', table);
    expect(
      outputOf(
        `local s = ${signature} return { s.name, s.instructions, s.input_fields, s.output_fields, s.other == nil }`,
      ),
    ).toEqual([
      'rating',
      'Rate it.',
      { text: { type: 'string', required: true, description: 'A review' } },
      { stars: { type: 'integer', required: true } },
      true,
    ]);
  });

  it('says what is to be done by its description as well', () =>
    expect(
      outputOf('return Signature { description = "Rate it.", output = { a = "string" } }.instructions'),
    ).toBe('Rate it.'));

  it('wants all fields but those with a default, and those that say so', () =>
    expect(
      outputOf(`return Signature {
        input = { a = "string", b = { type = "string", required = false }, c = field.string { default = "x" } },
        output = { d = field.array {} },
      }.input_fields`),
    ).toEqual({
      a: text,
      b: { type: 'string', required: false },
      c: { ...text, required: false, default: 'x' },
    }));

  it.each([
    ['Signature {}', 'or a table with input = {…} and output = {…}'],
    ['Signature { input = { a = "string" } }', 'or a table with input = {…} and output = {…}'],
    ['Signature { input = "a", output = { b = "string" } }', 'Signature: input must be a table of fields'],
    ['Signature "x" { output = { b = "banana" } }', 'Signature "x": output.b has the unknown type "banana"'],
    ['Signature(5)', 'a signature, as "question -> answer", or a table expected'],
  ])('%s is refused', (call, message) => expect(outputOf(`return ${call}`)).toContain(message));
});
