import { describe, expect, it } from 'vitest';
import { converse, sent } from '../../../support/converse.js';
import { outputOf } from '../../../support/fake-host.js';

const context = (messages: string): string =>
  `c = Context {messages = {${messages}}} a = Agent {context = c, system_prompt = "base"}\n`;

describe('a Context', () => {
  it.each([
    [
      'system("rules"), user("before"), history(), user("after")',
      'base\n\nrules',
      'user: before | user: one | assistant: hello | user: after | user: two',
    ],
    ['user("before")', 'base', 'user: before | user: one | assistant: hello | user: two'],
    ['system("a"), system("b")', 'base\n\na\n\nb', 'user: one | assistant: hello | user: two'],
    [
      'user(template("{input.n} {x}", {x = "vars"})), assistant("ok")',
      'base',
      'user: 7 vars | assistant: ok | user: one | assistant: hello | user: two',
    ],
  ])('of %s', (messages, system, expected) => {
    const { calls } = converse(`${context(messages)}a("one") a("two")`, [], { input: { n: 7 } });
    expect(calls[1]?.system).toBe(system);
    expect(sent(calls[1])).toBe(expected);
  });

  it('is found by its name', () => {
    const source = 'Context {name = "c", messages = {user("x")}} a = Agent {context = "c"} a("y")';
    expect(sent(converse(source, []).calls[0])).toBe('user: x | user: y');
    expect(converse('a = Agent {context = "nothing"} a("y")', []).output).toBe(
      "a: there is no Context 'nothing'",
    );
  });

  it('with a retriever that is not there loads, and fails in the turn that needs it', () => {
    expect(converse(`${context('context("docs")')}return c.name`, []).output).toBe('c');
    expect(converse(`${context('context("docs")')}a("y")`, []).output).toContain(
      'context("docs") names no retriever and no Context',
    );
    expect(converse(`${context('context("docs")')}a("y")`, [], { engine: 7 }).output).toContain(
      'context("docs") needs a retriever',
    );
  });

  it.each([
    ['Context {messages = {"x"}}', 'messages[1] must be system(…)'],
    ['Context {messages = "x"}', 'messages must be a list'],
    ['user(5)', 'table expected'],
    ['user({})', 'a string or template(…) expected'],
    ['template(5)', 'a string expected'],
  ])('%s is a fault', (source, message) => expect(() => outputOf(source)).toThrow(message));
});

describe('what a prompt is filled with', () => {
  const prompt = (template: string, options = ''): string | null | undefined =>
    converse(`a = Agent {system_prompt = [[${template}]], ${options}} a("x")`, [], { input: { n: 7 } })
      .calls[0]?.system;

  it.each([
    ['{prepared.when}', 'prepare = function() return {when = "now"} end', 'now'],
    ['{prepared.value}', 'prepare = function() return "one" end', 'one'],
    ['{prepared.file}', 'prepare = function() return {file = File.read("f")} end', 'content of f'],
    ['{prepared.when}', '', '{prepared.when}'],
    ['a{env.HOME}b', '', 'ab'],
    ['{env}', '', '{env}'],
    ['{context.place} {context.n}', 'context = {place = "here"}', 'here 7'],
  ])('%s with %s', (template, options, expected) => expect(prompt(template, options)).toBe(expected));
});

describe('the result of a turn', () => {
  it.each([
    ['{r.text, r.value, r.output, r.data}', ['hello', 'hello', 'hello', 'hello']],
    ['{#r.messages, #r.new_messages(), r.new_messages()[2].role}', [2, 2, 'assistant']],
    ['#r.all_messages()', 4],
    ['{r.usage.total_tokens, r.cost().total_tokens, r.cost().total_cost, a.cost().total_cost}', [2, 2, 0, 0]],
    ['tostring(r)', 'hello'],
    ['r', { output: 'hello', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }],
    ['r.constructor == nil', true],
    ['getmetatable(r)', false],
  ])('%s', (expression, expected) =>
    expect(converse(`a = Agent {} a("before") local r = a("x") return ${expression}`, []).output).toEqual(
      expected,
    ),
  );
});
