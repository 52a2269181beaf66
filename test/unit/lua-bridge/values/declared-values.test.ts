import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

const procedure = (config: string, body: string): string =>
  `Procedure {${config}, function(input)\n${body}\nend}`;

describe('input', () => {
  it.each([
    ['input.a = 1', '{a = "string"}', { a: 'x' }],
    ['input.o.b = 1', '{o = field.object{}}', { o: { b: 2 } }],
    ['table.insert(input.l, 1)', '{l = field.array{}}', { l: [1] }],
  ])('is read-only: %s', (change, fields, input) =>
    expect(runFake(procedure(`input = ${fields}`, change), { input }).ended).toMatchObject({
      error: {
        message: expect.stringContaining('input is read-only; change a copy of it') as unknown,
        details: { line: 2 },
      },
    }),
  );

  it.each([
    [
      '{l = field.array{items = {name = field.string{required = true}}}}',
      { l: [{}] },
      'Missing required field: l[1].name',
    ],
    [
      '{l = field.array{items = {name = field.string{required = true}}}}',
      { l: [{ name: 1 }] },
      'Field l[1].name must be a string',
    ],
    ['{l = {type = "array", items = "integer"}}', { l: [1.5] }, 'Field l[1] must be an integer'],
    [
      '{o = field.object{fields = {n = field.integer{enum = {1, 2}}}}}',
      { o: { n: 3 } },
      'Field o.n must be one of 1, 2, got 3',
    ],
  ])('of %s is checked within', (fields, input, message) =>
    expect(() => outputOf(procedure(`input = ${fields}`, 'return 1'), { input })).toThrow(message),
  );

  it('of a named procedure has its defaults, nested ones too', () =>
    expect(
      outputOf(
        'Procedure "s" {input = {a = field.string{default = "x"}, o = field.object{fields = {n = field.integer{default = 3}}}}, function(i) return {i.a, i.o.n} end}\nProcedure "main" {function() return s({o = {}}) end}',
      ),
    ).toEqual(['x', 3]));

  it('is its own in each call of a procedure that calls itself', () =>
    expect(
      outputOf(
        'Procedure "fact" {input = {n = field.integer{required = true}}, function(i) if i.n <= 1 then return 1 end return fact({n = i.n - 1}) * i.n end}\nProcedure "main" {function() return fact({n = 5}) end}',
      ),
    ).toBe(120));
});

describe('state that is changed in place', () => {
  const fields =
    'state = {o = {type = "object", properties = {n = {type = "integer"}}}, l = {type = "array", items = {type = "integer"}, default = {}}}';

  it.each([
    ['state.o = {n = 1} state.o.n = "x"', 'Field o.n must be an integer, got the string "x"'],
    ['table.insert(state.l, "x")', 'Field l[1] must be an integer, got the string "x"'],
    ['State.append("l", "x")', 'Field l[1] must be an integer, got the string "x"'],
  ])('%s is checked', (change, message) => {
    expect(runFake(procedure(fields, change)).ended).toMatchObject({
      error: { code: 'state_invalid', message: expect.stringContaining(message) as unknown },
    });
    expect(
      runFake(`state {${fields.slice('state = {'.length, -1)}}\n${change}\nreturn 1`).ended,
    ).toMatchObject({
      error: { code: 'state_invalid' },
    });
  });

  it('may be as it is declared', () =>
    expect(
      outputOf(
        procedure(fields, 'state.o = {n = 1} state.o.n = 2 table.insert(state.l, 3) return State.all()'),
      ),
    ).toEqual({
      o: { n: 2 },
      l: [3],
    }));
});

describe('what a procedure says of itself', () => {
  it('is taken, and what it depends on is left aside', () =>
    expect(
      outputOf(
        procedure(
          'description = "d", version = "1.0", author = "me", tags = {"a"}, dependencies = {api = {type = "http_client"}}, stages = {"one", "two"}',
          'Stage.set("one") return {Stage.advance(), pcall(Stage.set, "three")}',
        ),
      ),
    ).toEqual(['two', false, "Invalid stage 'three'. Valid stages: one, two"]));
});

describe('modules', () => {
  it('share the state, and may declare procedures', () =>
    expect(
      outputOf(
        'state.a = 1\nlocal double = require("m")\nProcedure "main" {function() return {state.a, double({n = 2})} end}',
        {
          files: {
            'm.tac':
              'state.a = state.a + 1 return Procedure "double" {input = {n = field.integer{}}, function(i) return i.n * 2 end}',
          },
        },
      ),
    ).toEqual([2, 4]));

  it.each([
    ['local x\nrequire("nope")', 2, 'main.tac'],
    ['local x\nrequire("A")', 2, 'main.tac'],
    ['local x\nrequire("a")', 3, 'b.tac'],
  ])('%j fails at its line', (source, line, file) =>
    expect(
      runFake(source, { files: { 'a.tac': '\nrequire("b")', 'b.tac': '\n\nreturn require("a")' } }).ended,
    ).toMatchObject({ error: { details: { file, line } } }),
  );
});

describe('mcp', () => {
  const source =
    'a = Agent {tools = {mcp.files.read}} return {mcp.files.read.name, Tool.called("files_read"), pcall(mcp.files.read, {n = 1})}';

  it('names tools of servers', () =>
    expect(outputOf(source)).toEqual([
      'files_read',
      false,
      true,
      { source: 'mcp.files.read', args: { n: 1 } },
    ]));

  it('names tools that failed where they were called, for runs of before', () =>
    expect(outputOf(source, { engine: 3 })).toEqual([
      'files_read',
      false,
      false,
      'use = "mcp.files.read": tools of MCP servers can\'t be called yet; write the tool as function(args) … end',
    ]));
});

describe('Message', () => {
  it('is a table to add to the history', () =>
    expect(
      outputOf(
        'MessageHistory.append(Message{role = "user", content = "x"}) return MessageHistory.get()[1].content',
      ),
    ).toBe('x'));
});

describe('a wrong declaration', () => {
  it.each([
    ['a = Agent {temperature = 99}', 'temperature must be'],
    ['Procedure {input = {n = {type = "nmber"}}, function() end}', 'unknown type "nmber"'],
    ['Mocks {search = 5}', 'Mocks: search must be a table'],
    ['Procedure {function()\nlocal a = Agent {temperature = 99} end}', 'temperature must be'],
    ['a = Agent {} Procedure {function()\na{temperature = 99} end}', 'temperature must be'],
  ])('has its line: %j', (source, message) => {
    const { ended } = runFake(`\n${source}`);
    expect(ended?.kind === 'failed' && ended.error.toRunError()).toMatchObject({
      code: 'source_invalid',
      message: expect.stringContaining(message) as string,
      file: 'main.tac',
      line: 1 + source.split('\n').length,
    });
  });
});
