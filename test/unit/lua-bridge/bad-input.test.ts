import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import { fakeProgram, outputOf, runFake } from '../../support/fake-host.js';

/** Whatever is given, a run completes or fails with a code of ours: nothing else leaves the program. */
function endOf(source: string, input: JsonValue = {}): string {
  const { ended } = runFake(source, { input });
  if (ended === null) return 'waits';
  return ended.kind === 'completed' ? 'completed' : ended.error.code;
}

describe('sources', () => {
  it.each([
    ['nothing', '', 'no_procedure'],
    ['white space', ' \n\t\r\n', 'no_procedure'],
    ['comments', '-- a\n--[[ b ]]', 'no_procedure'],
    ['5 MB', `return "${'x'.repeat(5_000_000)}"`, 'source_invalid'],
    ['3 MB of comments', `--${'x'.repeat(3_000_000)}\nreturn 1`, 'source_invalid'],
    ['an error on line 10,000', `${'\n'.repeat(9_999)}return return`, 'source_invalid'],
    ['a compiled chunk', '\u001bLuaS\0', 'source_invalid'],
    ['UTF-16', 'r\0e\0t\0', 'source_invalid'],
    ['a NUL between tokens', 'return \0 1', 'source_invalid'],
    ['a byte order mark', '\ufeffreturn 1', 'completed'],
    ['a line for the shell', '#!/bin/tactus\nreturn 1', 'completed'],
    ['Windows line ends', 'local a = 1\r\nreturn a\r\n', 'completed'],
    ['a lone surrogate in a string', 'return "\ud800"', 'completed'],
    ['a right-to-left override', 'return "\u202e"', 'completed'],
    ['JavaScript', 'const x = () => 1; return x();', 'source_invalid'],
    ['Python', 'def main():\n  return 1', 'source_invalid'],
    ['JSON', '{"a": 1}', 'source_invalid'],
  ])('of %s', (_what, source, expected) => expect(endOf(source)).toBe(expected));

  it('are named with the line of their error', () => {
    const { ended } = runFake(`${'\n'.repeat(9_999)}return return`);
    expect(ended).toMatchObject({ error: { details: { file: 'main.tac', line: 10_000 } } });
  });
});

describe('inputs', () => {
  const wide: JsonObject = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key${i}`, i]));
  let deep: JsonValue = 1;
  for (let i = 0; i < 1_000; i++) deep = { deep };

  it.each<[string, JsonValue, string]>([
    ['no object', [], 'completed'],
    ['null', null, 'completed'],
    ['a text', 'x', 'completed'],
    ['a number', 42, 'completed'],
    ['10,000 keys', wide, 'completed'],
    ['depth 1,000', deep, 'value_not_json'],
    ['a key of 1 MB', { ['k'.repeat(1_000_000)]: 1 }, 'completed'],
    ['a text of 9 MB', { x: 'x'.repeat(9_000_000) }, 'payload_too_large'],
    ['the empty key', { '': 1 }, 'completed'],
    ['__proto__', JSON.parse('{"__proto__": {"x": 1}}') as JsonValue, 'completed'],
    ['a lone surrogate', { x: '\ud800', '\udc00': 1 }, 'completed'],
    ['a NUL', { 'a\0b': 'c\0d' }, 'completed'],
    ['an emoji sequence', { x: '👩‍👩‍👧' }, 'completed'],
    ['2^53 + 1', { x: 2 ** 53 + 1 }, 'completed'],
    ['1e308 * 10', { x: Infinity }, 'value_not_json'],
    ['not a number', { x: NaN }, 'value_not_json'],
  ])('of %s', (_what, input, expected) => expect(endOf('return {input.x}', input)).toBe(expected));

  it.each([
    [3_000_000_000, 3_000_000_000],
    [-0, 0],
    [1.5, 1.5],
    ['👩‍👩‍👧 \u202e', '👩‍👩‍👧 \u202e'],
    ['a\0b', 'a\0b'],
  ])('come back as they went in: %j', (x, expected) =>
    expect(outputOf('return input.x', { input: { x } })).toBe(expected),
  );
});

describe('declarations', () => {
  const values = [
    'nil',
    'true',
    '0',
    '-1',
    '0/0',
    '1e400',
    '""',
    '"\\xff"',
    '"constructor"',
    '{}',
    '{1}',
    '{{}}',
    '{x = 1}',
    '{type = "x"}',
    '{type = {}}',
    '{"string"}',
    '{x = {}}',
    '{x = {type = 5}}',
    '{x = "any"}',
    '{x = {enum = 5}}',
    '{__proto__ = {}}',
    'function() end',
    'coroutine.create(print)',
    'Human',
    'setmetatable({}, {__index = error})',
    '(function() local t = {} t.t = t return t end)()',
  ];
  const fields = [
    'input',
    'output',
    'state',
    'tools',
    'model',
    'provider',
    'system_prompt',
    'initial_message',
    'temperature',
    'max_tokens',
    'request_timeout',
    'idle_timeout',
    'tool_choice',
    'type',
    'endpoint',
    'headers',
    'timeout',
    'value',
    'description',
    'name',
    'tags',
    'run',
    'handler',
  ];
  const known = [
    'completed',
    'lua_error',
    'source_invalid',
    'value_not_json',
    'unknown_model',
    'no_procedure',
    'state_invalid',
    'input_invalid',
    'output_invalid',
    'predict_failed',
    'tool_failed',
  ];

  it.each([
    'Agent',
    'agent',
    'Model',
    'model',
    'Tool',
    'Procedure',
    'procedure',
    'input',
    'output',
    'state',
    'field.string',
    'Agent.run',
    'require',
  ])('by %s of whatever it is given end with a code of ours', (constructor) => {
    for (const value of values) {
      expect(known, `${constructor}(${value})`).toContain(endOf(`${constructor}(${value}) return 1`));
      expect(known, `${constructor}("name", ${value})`).toContain(
        endOf(`${constructor}("name", ${value}) return 1`),
      );
    }
  });

  it.each(['Agent', 'Model', 'Tool', 'Procedure'])(
    'by %s with odd fields end with a code of ours',
    (constructor) => {
      for (const field of fields) {
        for (const value of values) {
          const source = `local made = ${constructor} {${field} = ${value}, function() end} pcall(made, {}) return 1`;
          expect([...known, 'waits'], source).toContain(endOf(source));
        }
      }
    },
  );
});

describe('answers of the host that are not as they should be', () => {
  const odd: JsonValue[] = [
    null,
    0,
    '',
    'x',
    [],
    {},
    [[]],
    { value: {} },
    { output: [null] },
    { text: 5, toolCalls: [], usage: {} },
  ];

  it.each([['Sleep(1)'], ['File.read("x")'], ['Procedure.run("x.tac")']])('are values to %s', (call) => {
    for (const value of odd) {
      const { ended } = runFake(`local v = ${call} return 1`, { perform: () => value });
      expect(ended).toMatchObject({ kind: 'completed' });
    }
  });

  it('that are nested too deep fail as errors that can be caught', () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(outputOf('return (pcall(File.read, "x"))', { perform: () => deep })).toBe(false);
  });

  it('that come twice, too late, or for nothing change nothing', () => {
    const program = fakeProgram('local a = File.read("a") local b = File.read("b") return {a, b}');
    program.turn();
    program.settle('7', { ok: true, value: 'for nothing' }, 0);
    program.settle('0', { ok: true, value: 'first' }, 0);
    program.settle('0', { ok: true, value: 'twice' }, 0);
    for (let i = 0; i < 3; i++) program.turn();
    program.settle('0', { ok: true, value: 'too late' }, 0);
    program.settle('1', { ok: true, value: 'second' }, 0);
    program.turn();
    expect(program.turn()).toMatchObject({ kind: 'completed', output: ['first', 'second'] });
    expect(program.log.entries).toHaveLength(2);
  });

  it.each<[string, JsonValue[]]>([
    ['an empty text', [{ text: '' }]],
    [
      '100 tool calls at once',
      [{ toolCalls: Array.from({ length: 100 }, (_, i) => ({ id: `c${i}`, name: 't', arguments: {} })) }, {}],
    ],
    [
      'the same tool call id twice',
      [
        {
          toolCalls: [
            { id: 'c', name: 't', arguments: {} },
            { id: 'c', name: 't', arguments: {} },
          ],
        },
        {},
      ],
    ],
    ['a refusal', [{ text: '', finishReason: 'content_filter' }]],
    [
      'names of prototypes',
      [
        {
          toolCalls: ['constructor', '__proto__', 'toString'].map((name) => ({
            id: name,
            name,
            arguments: null,
          })),
        },
        {},
      ],
    ],
  ])('a model that gives %s is heard', (_what, answers) => {
    let n = 0;
    const usual = {
      text: 'hello',
      toolCalls: [],
      finishReason: 'stop',
      usage: { input_tokens: 0, output_tokens: 0 },
      model: 'm',
    };
    const perform = (): JsonValue => ({ ...usual, ...(answers[n++] as JsonObject | undefined) });
    const { ended } = runFake(
      't = Tool {description = "", input = {}, function() return 1 end}\na = Agent {tools = {t}}\na("x") return 1',
      { perform },
    );
    expect(ended).toMatchObject({ kind: 'completed' });
  });
});
