import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { defaultLimits } from '../../../../src/contract/runs/limits.js';
import { Program } from '../../../../src/lua-bridge/index.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

describe('max_depth', () => {
  const countdown = `count = Procedure {
    input = {n = field.integer{}},
    function(input) if input.n == 0 then return 0 end return 1 + count({n = input.n - 1}) end,
  }
  main = Procedure {function(input) return count({n = input.x}) end}`;

  it('lets procedures call each other that deep, and no deeper', () => {
    expect(outputOf(`max_depth(3)\n${countdown}`, { input: { x: 2 } })).toBe(2);
    expect(() => outputOf(`max_depth(3)\n${countdown}`, { input: { x: 3 } })).toThrow(
      'procedures call each other more than 3 deep (max_depth)',
    );
  });

  it('is no way past the limit of a run', () =>
    expect(() => outputOf(`max_depth(90)\n${countdown}`, { input: { x: 60 } })).toThrow('50 deep'));

  it.each(['0', '-1', '"many"', '1.5'])('is no %s', (depth) =>
    expect(() => outputOf(`max_depth(${depth})\nreturn 1`)).toThrow(/main\.tac:1: bad argument #1 to/),
  );
});

describe('the main procedure', () => {
  it.each<[string, string, JsonValue]>([
    ['capitalised, without a name', 'Procedure {function(input) return input.x end}', 1],
    ['capitalised, in a global', 'main = Procedure {function() return 1 end}', 1],
    ['capitalised, named', 'Procedure "main" {function() return 1 end}', 1],
    ['with run', 'Procedure {run = function() return 1 end}', 1],
    ['with three arguments', 'Procedure("main", {}, function() return 1 end)', 1],
    ['lower-case', 'procedure("main", {}, function() return 1 end)', 1],
    ['lower-case, curried', 'procedure "main" {function() return 1 end}', 1],
    ['a function alone', 'procedure("main", function() return 1 end)', 1],
    ['a plain function', 'function main() return 1 end', 1],
    [
      'main among others',
      'helper = Procedure {function() return 2 end}\nmain = Procedure {function() return helper({}) - 1 end}',
      1,
    ],
    [
      'the only one without a name',
      'Procedure "helper" {function() return 2 end}\nProcedure {function() return helper({}) - 1 end}',
      1,
    ],
    ['the only one, whatever its name', 'review = Procedure {function() return 1 end}', 1],
    ['a script', 'return input.x', 1],
    [
      'a script with declarations',
      'input {x = "number"}\noutput {y = "number"}\nreturn {y = input.x}',
      { y: 1 },
    ],
    ['a script that only does something', 'Sleep(1)', null],
    ['a script that returns false', 'return false', false],
  ])('%s', (_what, source, expected) => expect(outputOf(source, { input: { x: 1 } })).toEqual(expected));

  it.each([
    ['', 'no_procedure', 'main.tac declares no Procedure and returns nothing'],
    ['-- only a comment', 'no_procedure', 'main.tac declares no Procedure and returns nothing'],
    ['local x = 1', 'no_procedure', 'main.tac declares no Procedure and returns nothing'],
    [
      'a = Procedure {function() end}\nb = Procedure {function() end}',
      'no_procedure',
      'main.tac has no main procedure; call one of them main',
    ],
    [
      'Procedure {function() end}\nProcedure {function() end}',
      'source_invalid',
      'main.tac has 2 main procedures; name all but one',
    ],
    [
      'Procedure {}',
      'source_invalid',
      'Procedure has no function: write function(input) … end as its last item',
    ],
    [
      'Procedure "x" {input = 5, function() end}',
      'source_invalid',
      'Procedure "x": input must be a table of fields',
    ],
    [
      'Procedure {input = {x = {type = "date"}}, function() end}',
      'source_invalid',
      'Procedure: input.x has the unknown type "date"',
    ],
    ['Procedure {input = {x = 5}, function() end}', 'source_invalid', 'Procedure: input.x must be a field'],
    ['return return', 'source_invalid', "main.tac:1: unexpected symbol near 'return'"],
  ])('is missing or wrong in %j', (source, code, message) => {
    expect(runFake(source).ended).toMatchObject({
      kind: 'failed',
      error: { code, message: expect.stringContaining(message) as unknown },
    });
  });

  it('is not found where the entry is not among the files', () => {
    const source = { entry: 'other.tac', files: { 'main.tac': 'return 1' } };
    const program = new Program({
      source,
      input: {},
      runId: 'run',
      startedAt: 0,
      seed: '',
      limits: defaultLimits,
      carried: [],
    });
    expect(program.turn()).toMatchObject({ kind: 'failed', error: { code: 'source_not_found' } });
  });
});

describe('input', () => {
  const source = (fields: string): string =>
    `Procedure {input = {${fields}}, function(input) return input end}`;

  it.each<[string, JsonValue, JsonValue]>([
    ['x = {type = "string", required = true}', { x: 'a' }, { x: 'a' }],
    ['x = field.string{required = true}', { x: 'a' }, { x: 'a' }],
    ['x = "string"', {}, []],
    ['x = {type = "number", default = 5}', {}, { x: 5 }],
    ['x = {type = "number", default = 5}', { x: null }, { x: 5 }],
    ['x = {type = "number", required = true, default = 5}', {}, { x: 5 }],
    ['x = {type = "integer"}', { x: 3_000_000_000 }, { x: 3_000_000_000 }],
    ['x = {type = "array", default = {}}', {}, { x: [] }],
    ['x = {type = "boolean"}', { x: false }, { x: false }],
    ['x = {type = "any"}', { x: [1] }, { x: [1] }],
    ['x = {type = "string", enum = {"a", "b"}}', { x: 'b' }, { x: 'b' }],
    ['x = {type = "array", items = {type = "number"}}', { x: [1, 2] }, { x: [1, 2] }],
    [
      'x = {type = "object", properties = {y = {type = "number", default = 1}}}',
      { x: { z: 2 } },
      { x: { y: 1, z: 2 } },
    ],
    ['', { any: 'thing' }, { any: 'thing' }],
    ['', null, []],
  ])('{%s} takes %j', (fields, input, expected) =>
    expect(outputOf(source(fields), { input })).toEqual(expected),
  );

  it.each<[string, JsonValue, string]>([
    ['user_message = {type = "string", required = true}', {}, 'Missing required field: user_message'],
    ['user_message = {type = "string", required = true}', null, 'Missing required field: user_message'],
    [
      'x = {type = "object", properties = {y = {type = "number", required = true}}}',
      { x: {} },
      'Missing required field: x.y',
    ],
    [
      'a = {type = "string", required = true}, b = "string", c = {type = "number", required = true}',
      { b: 'x' },
      'Missing required field: a, c',
    ],
    ['x = "string"', { x: 'a', other: 1 }, 'Unknown field: other (known are x)'],
    ['x = "number"', { x: '5' }, 'Field x must be a number, got the string "5"'],
    ['x = "string"', { x: 5 }, 'Field x must be a string, got the number 5'],
    ['x = "integer"', { x: 1.5 }, 'Field x must be an integer, got the number 1.5'],
    ['x = "boolean"', { x: 'true' }, 'Field x must be a boolean, got the string "true"'],
    ['x = "array"', { x: { a: 1 } }, 'Field x must be an array, got an object'],
    ['x = "object"', { x: [1] }, 'Field x must be an object, got an array'],
    ['x = {type = "string", enum = {"a"}}', { x: 'b' }, 'Field x must be one of "a", got "b"'],
    [
      'x = {type = "array", items = {type = "number"}}',
      { x: [1, 'a'] },
      'Field x[2] must be a number, got the string "a"',
    ],
    ['x = "string"', [], 'ok'],
    ['x = "string"', [1], 'Expected an object with the fields x, got an array'],
    ['x = "string"', 'text', 'Expected an object with the fields x, got the string "text"'],
    ['x = "string"', 42, 'Expected an object with the fields x, got the number 42'],
    ['__proto__ = {type = "string", required = true}', {}, 'Missing required field: __proto__'],
    ['constructor = {type = "string", required = true}', {}, 'Missing required field: constructor'],
  ])('{%s} refuses %j: %s', (fields, input, message) => {
    const { ended } = runFake(source(fields), { input });
    if (message === 'ok') expect(ended).toMatchObject({ kind: 'completed' });
    else expect(ended).toMatchObject({ kind: 'failed', error: { code: 'input_invalid', message } });
  });

  it('is read-only, as argument and as global', () => {
    const body = (change: string): string =>
      `Procedure {function(input) return {pcall(function() ${change} end)} end}`;
    for (const change of [
      'input.x = 1',
      'input.list[1] = 2',
      'rawset(input, "x", 1)',
      '_G.input.x = 1',
      'table.insert(input.list, 3)',
    ])
      expect(outputOf(body(change), { input: { list: [1] } })).toEqual([
        false,
        expect.stringContaining('read-only'),
      ]);
  });

  it('is walked like a table', () => {
    expect(
      outputOf('local t = {} for k, v in pairs(input) do t[#t + 1] = k .. v end return t', {
        input: { a: 1, b: 2 },
      }),
    ).toEqual(['a1', 'b2']);
  });
});

describe('output', () => {
  const source = (declared: string, value: string): string =>
    `Procedure {output = ${declared}, function() return ${value} end}`;

  it.each<[string, string, JsonValue]>([
    ['{s = "string"}', '{s = "a", more = 1}', { s: 'a' }],
    ['{s = {type = "string", default = "d"}}', '{}', { s: 'd' }],
    ['{s = {type = "object"}}', '{s = {}}', { s: {} }],
    ['field.string{}', '"text"', 'text'],
    ['field.array{}', '{}', []],
    ['field.object{}', '{}', {}],
    ['{}', '{any = 1}', { any: 1 }],
  ])('%s of %s', (declared, value, expected) => expect(outputOf(source(declared, value))).toEqual(expected));

  it.each([
    ['{s = {type = "string", required = true}}', 'nil', 'Missing required field: s'],
    ['{s = {type = "string", required = true}}', '{}', 'Missing required field: s'],
    ['{s = "string"}', '{s = 5}', 'Field s must be a string, got the number 5'],
    ['{s = "string"}', '"text"', 'Expected an object with the fields s, got the string "text"'],
    ['field.number{}', '"5"', 'Field value must be a number, got the string "5"'],
  ])('%s refuses %s', (declared, value, message) => {
    expect(runFake(`\n${source(declared, value)}`).ended).toMatchObject({
      kind: 'failed',
      error: { code: 'output_invalid', message, details: { file: 'main.tac', line: 2 } },
    });
  });
});

describe('procedures that call each other', () => {
  it('run in a frame of their own', () => {
    const { performed, program, ended } = runFake(
      'helper = Procedure {input = {n = "number"}, function(input) Sleep(input.n) return {twice = input.n * 2} end}\nmain = Procedure {function() return helper({n = 2}).twice + helper({n = 3}).twice end}',
    );
    expect(ended).toMatchObject({ output: 10 });
    expect(performed).toEqual(['sleep 0.0', 'sleep 1.0']);
    expect(program.log.entries.map(({ position, type, name }) => `${position} ${type} ${name}`)).toEqual([
      '0.0 sleep sleep 2s',
      '0 procedure_call helper',
      '1.0 sleep sleep 3s',
      '1 procedure_call helper',
    ]);
  });

  it('check what they are given and what they give', () => {
    const helper =
      'helper = Procedure {input = {n = {type = "number", required = true}}, output = {m = {type = "number", required = true}}, function(input) return {m = input.n > 1 and 1 or nil} end}\n';
    const main = (call: string): string =>
      `${helper}main = Procedure {function() return {pcall(function() return ${call} end)} end}`;
    expect(outputOf(main('helper({})'))).toEqual([false, 'Missing required field: n']);
    expect(outputOf(main('helper({n = 1})'))).toEqual([false, 'Missing required field: m']);
    expect(outputOf(main('helper({n = 2}).m'))).toEqual([true, 1]);
    expect(outputOf(main('helper("x")'))).toEqual([
      false,
      expect.stringContaining('the input must be a table, such as {name = "x"}'),
    ]);
  });

  it('give their callers what they do not declare too, as scripts do', () => {
    const helper = 'Procedure "helper" {output = {m = "number"}, function() return {m = 1, more = 2} end}\n';
    expect(
      outputOf(
        `${helper}Procedure {output = {n = "number"}, function() return {n = helper().more, more = 3} end}`,
      ),
    ).toEqual({
      n: 2,
    });
    expect(outputOf('output {n = field.number{}} return {n = 1, more = 2}')).toEqual({ n: 1, more: 2 });
  });

  it.each([
    ['share the state when capitalised', 'Procedure', { count: 2, mine: 5 }],
    ['have state of their own when lower-case', 'procedure', { count: 0 }],
  ])('%s', (_what, constructor, expected) => {
    const source = `
      helper = ${constructor} "helper" {state = {count = {type = "number", default = 1}, mine = {type = "number", default = 5}}, function() state.count = state.count + 2 return state.mine end}
      main = Procedure {state = {count = {type = "number", default = 0}}, function() helper({}) return State.all() end}`;
    expect(outputOf(source)).toEqual(expected);
  });

  it('see their own input in the global', () => {
    expect(
      outputOf(
        'helper = Procedure {function() return _G.input.n end}\nmain = Procedure {function(input) return {helper({n = 2}), _G.input.n} end}',
        { input: { n: 1 } },
      ),
    ).toEqual([2, 1]);
  });

  it('that are other files are asked of the host', () => {
    const { ended, performed } = runFake('return Procedure.run("other.tac", {n = 1})');
    expect(ended).toMatchObject({ output: { ran: 'other.tac' } });
    expect(performed).toEqual(['procedure_call 0']);
  });
});
