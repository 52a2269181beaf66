import { describe, expect, it } from 'vitest';
import { converse, sent, toolCall } from '../../../support/converse.js';
import { outputOf } from '../../../support/fake-host.js';

const main = (body: string): string => `main = procedure("main", {outputs = {}}, function() ${body} end)`;

describe('the older dialect', () => {
  it.each([
    ['greeter', 'Greeter'],
    ['time_agent', 'Time_agent'],
    ['contact_formatter', 'ContactFormatter'],
    ['lineWriter', 'LineWriter'],
    ['lineWriter', 'Linewriter'],
  ])('makes a global of agent("%s", …): %s', (name, global) => {
    const { output } = converse(
      `agent("${name}", {})\n${main(`return ${global}.turn({inject = "x"}).text`)}`,
      [],
    );
    expect(output).toBe('hello');
  });

  it('makes a global of a model, and leaves those that the file has', () => {
    const source = `Taken = "mine"\nagent("taken", {})\nmodel("mood", {type = "mock", value = "good"})\n`;
    expect(outputOf(source + main('return {Taken, Mood.predict("x")}'))).toEqual(['mine', 'good']);
  });

  it('has its outputs checked', () => {
    const source = `main = procedure("main", {outputs = {n = {type = "number", required = true}}}, function() return {} end)`;
    expect(() => outputOf(source)).toThrow('Missing required field: n');
  });

  it('gives an agent that lists no tools all of them, and done', () => {
    const { calls, output } = converse(
      `tool("add", {description = "adds", parameters = {a = {type = "number", required = true}}}, function(args) return args.a + 1 end)
       toolset("texts", {type = "lua", tools = {{name = "upper", handler = function(args) return "U" end}}})
       agent("worker", {tools = nil})
       agent("other", {tools = {{name = "secret", handler = function() return 1 end}}})
       ${main('Worker.turn() return {Tool.last_result("add"), Tool.called("done"), Stop.reason(), Stop.success()}')}`,
      [
        { toolCalls: [toolCall('add', { a: 1 })] },
        { toolCalls: [toolCall('done', { reason: 'two', success: false })] },
      ],
    );
    expect(calls[0]?.tools.map(({ name }) => name)).toEqual(['add', 'texts_upper', 'done']);
    expect(output).toEqual([2, true, 'two', false]);
  });

  it('gives none where it lists none, for an agent and for one turn', () => {
    const { calls } = converse(
      `agent("a", {toolsets = {}}) agent("b", {})\n${main('A.turn() B.turn({toolsets = {}}) B.turn({tools = {"done"}}) B.turn()')}`,
      [],
    );
    expect(calls.map(({ tools }) => tools.map(({ name }) => name).join())).toEqual(['', '', 'done', 'done']);
  });

  it('needs no done where the answer has a form', () => {
    const { calls, output } = converse(
      `agent("reader", {output_type = {city = {type = "string", required = true}}})\n${main('local r = Reader.turn() return {r.data.city, r.text}')}`,
      [{ text: '{"city": "Paris"}' }],
    );
    expect(calls[0]?.tools).toEqual([]);
    expect(output).toEqual(['Paris', '{"city":"Paris"}']);
  });

  it('opens a conversation that has no message, and goes on with one', () => {
    const { calls } = converse(`agent("a", {})\n${main('A.turn() A.turn() A.turn({inject = "more"})')}`, []);
    expect(calls.map(sent)).toEqual([
      'user: Hello',
      'user: Hello | assistant: hello | user: Continue',
      'user: Hello | assistant: hello | user: Continue | assistant: hello | user: more',
    ]);
  });

  it.each([
    ['{provider = "openai", model = "gpt-x"}', '', 'openai/gpt-x'],
    ['{provider = "openai"}', '', 'openai/gpt-4o'],
    ['{}', 'default_provider("anthropic") default_model("claude-x")', 'anthropic/claude-x'],
    ['{model = "claude-y"}', 'default_provider("anthropic")', 'anthropic/claude-y'],
    ['{model = "openai/gpt-x"}', 'default_provider("anthropic")', 'openai/gpt-x'],
    ['{}', 'default_model("openai:gpt-z")', 'openai/gpt-z'],
    ['{}', '', null],
  ])('takes its model from %s and %s', (config, defaults, model) => {
    const { calls } = converse(`${defaults}\nagent("a", ${config})\n${main('A.turn()')}`, []);
    expect(calls[0]?.model).toBe(model);
  });

  it('does not guess the model of a provider', () =>
    expect(converse(`agent("a", {provider = "constructor"})\n${main('A.turn()')}`, []).output).toBe(
      'a names the provider constructor and no model',
    ));

  it('reads model_settings', () => {
    const { calls } = converse(
      `agent("a", {model_settings = {temperature = 0.7, max_tokens = 9, top_p = 0.9}})\n${main('A.turn()')}`,
      [],
    );
    expect(calls[0]?.settings).toEqual({ temperature: 0.7, maxTokens: 9, topP: 0.9 });
  });

  it('counts turns as iterations', () => {
    const { output } = converse(
      `agent("a", {})\n${main('local before = Iterations.current() A.turn() A.turn() return {before, Iterations.current(), Iterations.exceeded(2), Iterations.exceeded(3)}')}`,
      [],
    );
    expect(output).toEqual([0, 2, true, false]);
  });

  it('shares one history among its agents where the procedure says so, and bounds it', () => {
    const procedure = (history: string): string =>
      `agent("a", {}) agent("b", {}) main = procedure("main", {message_history = ${history}}, function() A.turn({inject = "the first"}) B.turn({inject = "two"}) end)`;
    expect(sent(converse(procedure('{mode = "isolated"}'), []).calls[1])).toBe('user: two');
    expect(sent(converse(procedure('{mode = "shared"}'), []).calls[1])).toBe(
      'user: the first | assistant: hello | user: two',
    );
    expect(sent(converse(procedure('{mode = "shared", max_tokens = 2}'), []).calls[1])).toBe(
      'assistant: hello | user: two',
    );
  });
});
