import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { answerOf, outputOf, runFake } from '../../../support/fake-host.js';

const add = `add = Tool {description = "adds", input = {a = {type = "number", required = true}, b = {type = "number", default = 10}}, function(args)
  return {sum = args.a + args.b}
end}
`;

describe('a tool', () => {
  it.each<[string, string, JsonValue]>([
    ['is called with its defaults', 'return add({a = 1}).sum', 11],
    [
      'counts its calls',
      'add({a = 1}) add({a = 2}) return {add.called(), add.call_count(), add.last_call().args.a, add.last_result().sum}',
      [true, 2, 2, 12],
    ],
    ['was not called', 'return {add.called(), add.call_count(), add.last_call() == nil}', [false, 0, true]],
    ['is reset', 'add({a = 1}) add.reset() return {add.called(), add.call_count()}', [false, 0]],
    [
      'is found by name',
      'add({a = 1}) return {Tool("add")({a = 2}).sum, Tool.called("add"), Tool.get("add").call_count()}',
      [12, true, 2],
    ],
    [
      'may take nothing',
      'now = Tool {description = "", function() return "now" end} return {now(), now({}), now({x = 1})}',
      ['now', 'now', 'now'],
    ],
    [
      'may return nothing',
      'quiet = Tool {description = "", input = {}, function() end} return {quiet({}) == nil, quiet.call_count()}',
      [true, 1],
    ],
    [
      'has its handler in a field',
      'h = Tool {description = "", handler = function() return 1 end} return h()',
      1,
    ],
    ['keeps what it was given beside what it declares', 'return add({a = 1, note = "x"}).sum', 11],
  ])('%s', (_what, source, expected) => expect(outputOf(add + source)).toEqual(expected));

  it('is a checkpoint, with what it was called with', () => {
    const { program } = runFake(`${add}add({a = 1})`);
    expect(program.log.entries).toMatchObject([
      {
        position: '0',
        type: 'tool_call',
        name: 'add',
        input: { a: 1, b: 10 },
        outcome: { ok: true, value: { sum: 11 } },
      },
    ]);
  });

  it.each([
    ['add({})', 'tool_failed', 'Missing required field: a'],
    ['add({a = "x"})', 'tool_failed', 'Field a must be a number, got the string "x"'],
    ['add("x")', 'tool_failed', 'Expected an object with the fields a, b, got the string "x"'],
    ['add({a = print})', 'value_not_json', 'a is a function'],
    ['Tool("nobody")', 'tool_failed', "unknown tool 'nobody'"],
    ['Tool.get("constructor")', 'tool_failed', "unknown tool 'constructor'"],
    ['Tool.called({})', 'lua_error', 'the name of a tool expected'],
    ['Tool {description = "x"}', 'lua_error', 'a tool needs a function'],
    [
      'bad = Tool {description = "x", function() return print end} bad()',
      'value_not_json',
      "the value is a function, which can't be kept or sent",
    ],
    ['bad = Tool {description = "x", function() error("inside") end} bad()', 'lua_error', 'inside'],
  ])('%s is an error that can be caught', (call, code, message) => {
    expect(runFake(add + call).ended).toMatchObject({
      error: { code, message: expect.stringContaining(message) as unknown },
    });
    expect(outputOf(`${add}return (pcall(function() ${call} end))`)).toBe(false);
  });

  it.each([
    [
      'Tool {description = "x", input = {a = {type = "date"}}, function() end}',
      'Tool: input.a has the unknown type "date"',
    ],
    [
      'Tool {description = "x", input = {type = "string"}, function() end}',
      'Tool: input must be a table of fields',
    ],
    ['Agent {tools = {5}}', 'tools[1] is no tool and no name of one'],
    ['Agent {temperature = 99}', 'temperature must be a number from 0 to 2, got 99'],
    ['Agent {temperature = "hot"}', 'temperature must be a number from 0 to 2, got "hot"'],
    ['Agent {max_tokens = -1}', 'max_tokens must be a positive integer, got -1'],
    ['Agent {max_tokens = 1.5}', 'max_tokens must be a positive integer, got 1.5'],
    ['Agent {request_timeout = -1}', 'request_timeout must be seconds'],
    ['Agent {model = 5}', 'model must be a name'],
    ['Model {type = "http"}', 'endpoint must be an http or https address'],
    ['Model {type = "http", endpoint = "file:///etc/passwd"}', 'endpoint must be an http or https address'],
  ])('%s is a fault of the source', (declaration, message) => {
    expect(runFake(declaration).ended).toMatchObject({
      error: { code: 'source_invalid', message: expect.stringContaining(message) as unknown },
    });
  });
});

describe('a prediction model', () => {
  it.each<[string, string, JsonValue]>([
    [
      'wraps its answer when capitalised',
      'm = Model {type = "mock", value = {label = "a"}} return {m("x").output.label, m.predict("x").output.label}',
      ['a', 'a'],
    ],
    ['gives it raw when lower-case', 'm = model {type = "mock", value = 5} return m("x")', 5],
    ['is found by name', 'Model "guess" {type = "mock", value = 5} return Model("guess")("x").output', 5],
    [
      'checks what it answers',
      'm = Model {type = "mock", value = {n = "x"}, output = {n = "number"}} return {pcall(m, "x")}',
      [false, 'Field n must be a number, got the string "x"'],
    ],
    [
      'wants all of its input',
      'm = Model {type = "mock", value = 1, input = {text = "string"}} return {pcall(m, {})}',
      [false, 'Missing required field: text'],
    ],
  ])('%s', (_what, source, expected) => expect(outputOf(source)).toEqual(expected));

  it('that is an endpoint has 30 seconds, unless it says otherwise', () => {
    const times: unknown[] = [];
    for (const more of ['', ', timeout = 5', ', timeout = "2m"'])
      runFake(`return model { type = "http", endpoint = "http://x/score"${more} }({ n = 1 })`, {
        perform: (effect, request) => {
          if (effect.kind === 'predict' && effect.prediction.backend.type === 'http')
            times.push(effect.prediction.backend.timeoutMs);
          return answerOf(effect, request);
        },
      });
    expect(times).toEqual([30_000, 5_000, 120_000]);
  });

  it.each([
    ['Model {type = "magic"}', 'the type "magic" is not known'],
    ['Model {}', 'the type null is not known'],
  ])('%s is unknown', (declaration, message) => {
    expect(runFake(declaration).ended).toMatchObject({
      error: { code: 'unknown_model', message: expect.stringContaining(message) as unknown },
    });
  });
});
