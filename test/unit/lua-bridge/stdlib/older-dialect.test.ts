import { describe, expect, it } from 'vitest';
import { converse, sent, toolCall } from '../../../support/converse.js';
import { answerOf, outputOf } from '../../../support/fake-host.js';

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

  it('runs a procedure as the design of Tactus writes it', () => {
    const source = `
      settle = procedure "settle" {
        input = { complaint = { type = "string", required = true }, history = { type = "array" } },
        output = { verdict = { type = "string" } },
        run = function()
          Chief = agent "chief" { model = "openai/gpt-x", system_prompt = "You decide" }
          Chief({ message = input.complaint .. " after " .. #input.history })
          return { verdict = Chief.output }
        end
      }
      main = procedure "main" {
        description = "Sorts what customers write", version = "1.2.0", author = "a@example.com", tags = { "support" },
        input = { text = { type = "string", required = true } },
        output = { response = { type = "string" }, resolved = { type = "boolean" } },
        state = { topic = { type = "string" }, escalated = { type = "boolean", default = false } },
        run = function()
          Topics = model "topics" { type = "mock", value = "billing" }
          Clerk = agent "clerk" { model = "openai/gpt-x", system_prompt = "You handle bills" }
          state.topic = Topics.predict(input.text)
          if state.topic == "billing" then
            Clerk()
            response = Clerk.output
          end
          state.escalated = Human.approve({ message = "Escalate?" })
          if state.escalated then
            result = settle({ complaint = input.text, history = Clerk.messages })
            response = response .. ", " .. result.verdict
          end
          return { response = response, resolved = true }
        end
      }`;
    const { output, program, calls } = converse(source, [{ text: 'a bill' }, { text: 'refund' }], {
      input: { text: 'too much' },
      perform: (effect, request) =>
        effect.kind === 'human'
          ? { value: true, timed_out: false, by: null, comment: null }
          : answerOf(effect, request),
    });
    expect(output).toEqual({ response: 'a bill, refund', resolved: true });
    expect(program.state()).toEqual({ topic: 'billing', escalated: true });
    expect(program.log.entries.map(({ position, type, name }) => `${position} ${type} ${name}`)).toEqual([
      '0 model_predict topics',
      '1.0 model_call clerk',
      '1 agent_turn clerk',
      '2 hitl_approval Escalate?',
      '3.0.0 model_call chief',
      '3.0 agent_turn chief',
      '3 procedure_call settle',
    ]);
    expect(sent(calls[1])).toMatch(/^user: too much after [1-9]/);
  });

  it('loops until its agent is done, or has had its turns', () => {
    const source = `local done = require("tactus.tools.done") agent("greeter", { tools = { done } })
      ${main(`local most, turns = 3, 0
        done.reset()
        while not done.called() and turns < most do turns = turns + 1 Greeter() end
        return { turns = turns, done = done.called() }`)}`;
    const says = [{ text: 'hello' }, { toolCalls: [toolCall('done', { reason: 'greeted' })] }];
    expect(converse(source, says).output).toEqual({ turns: 2, done: true });
    expect(converse(source, []).output).toEqual({ turns: 3, done: false });
  });

  it('counts a checkpoint of a loop by its position', () => {
    const source = `agent("worker", {})\n${main(
      'for i = 1, 4 do Worker({ message = "Process " .. i }) if i % 2 == 0 then checkpoint() end end',
    )}`;
    const { program } = converse(source, []);
    const top = program.log.entries.filter(({ position }) => !position.includes('.'));
    expect(top.map(({ position, type }) => `${position} ${type}`)).toEqual([
      ...['0 agent_turn', '1 agent_turn', '2 explicit_checkpoint', '3 agent_turn', '4 agent_turn'],
      '5 explicit_checkpoint',
    ]);
    const again = converse(source, [], { carried: program.log.entries.slice(0, 5) });
    expect(again.calls).toHaveLength(2);
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
