import { describe, expect, it } from 'vitest';
import { converse } from '../../../support/converse.js';

const module = 'qa = Module { signature = "question -> answer" } ';
const answer = { text: '{"answer": "a"}' };
const asked = (body: string) =>
  converse(body, [answer, answer, answer]).calls.map(({ model, settings }) => ({ model, ...settings }));

describe('LM', () => {
  it.each([
    ['LM("openai/gpt-x")', {}],
    ['LM "openai:gpt-x"', {}],
    ['LM("openai/gpt-x")()', {}],
    ['LM("openai/gpt-x", {})', {}],
    ['LM("openai/gpt-x", { temperature = 0.7, max_tokens = 50 })', { temperature: 0.7, maxTokens: 50 }],
    ['LM "openai/gpt-x" { temperature = 0.3 }', { temperature: 0.3 }],
    ['LM("openai/gpt-x", { api_key = "secret", tool_choice = "none" })', {}],
  ])('says the model of modules, and its settings: %s', (call, settings) =>
    expect(asked(`${call}; ${module} qa({ question = "q" })`)).toEqual([
      { model: 'openai/gpt-x', ...settings },
    ]),
  );

  it('counts from there on, and not for those that name their own', () =>
    expect(
      asked(`${module}
        own = Module { signature = "question -> answer", model = "openai/gpt-own", temperature = 0.1 }
        LM("openai/gpt-x", { temperature = 1, seed = 3 }) qa({ question = "q" }) own({ question = "q" })
        LM("openai/gpt-y") qa({ question = "q" })`),
    ).toEqual([
      { model: 'openai/gpt-x', temperature: 1, seed: 3 },
      { model: 'openai/gpt-own', temperature: 0.1 },
      { model: 'openai/gpt-y' },
    ]));

  it('is overruled, setting by setting', () =>
    expect(
      asked(`LM("openai/gpt-x", { temperature = 1, seed = 3 })
        m = Module { signature = "question -> answer", temperature = 0 } m({ question = "q" })`),
    ).toEqual([{ model: 'openai/gpt-x', temperature: 0, seed: 3 }]));

  const lm = 'LM("openai/gpt-x", { temperature = 1, max_tokens = 9 }) ';
  it.each([
    ['a = Agent { max_tokens = 5 } a("hi")', { model: 'openai/gpt-x', temperature: 1, maxTokens: 5 }],
    [
      'a = Agent {} a({ message = "hi", temperature = 0 })',
      { model: 'openai/gpt-x', temperature: 0, maxTokens: 9 },
    ],
    ['m = Model { type = "llm" } m("hi")', { model: 'openai/gpt-x', temperature: 1, maxTokens: 9 }],
    ['a = Agent { model = "openai/gpt-own" } a("hi")', { model: 'openai/gpt-own' }],
    ['a = Agent { provider = "openai" } a("hi")', { model: 'openai/gpt-4o' }],
    ['a = Agent {} a({ message = "hi", model = "openai/gpt-own" })', { model: 'openai/gpt-own' }],
    ['default_model("openai/gpt-file") a = Agent {} a("hi")', { model: 'openai/gpt-file' }],
    ['default_provider("openai") a = Agent {} a("hi")', { model: 'openai/gpt-4o' }],
  ])('counts for agents and models that name none, in a file that names none: %s', (body, expected) =>
    expect(asked(lm + body)).toEqual([expected]),
  );

  it('goes before what a file says of its agents, for modules', () =>
    expect(asked(`default_model("openai/gpt-file") ${lm} ${module} qa({ question = "q" })`)).toEqual([
      { model: 'openai/gpt-x', temperature: 1, maxTokens: 9 },
    ]));

  it('left out, modules ask what agents ask', () =>
    expect(asked(`default_model("openai/gpt-file") ${module} qa({ question = "q" })`)).toEqual([
      { model: 'openai/gpt-file' },
    ]));

  it.each([
    ['LM("gpt-4o")', "Invalid model format: gpt-4o. Expected format like 'provider/model-name'"],
    ['LM("openai/")', 'Invalid model format: openai/'],
    ['LM("")', 'model is required for LM configuration'],
    ['LM(nil, { temperature = 0 })', 'model is required for LM configuration'],
    ['LM("openai/gpt-x", { temperature = "hot" })', 'temperature must be a number from 0 to 2'],
    ['LM("openai/gpt-x", 5)', 'table expected, got number'],
  ])('refuses %s', (call, message) => expect(converse(`return ${call}`, []).output).toContain(message));
});

describe('get_current_lm', () => {
  it('gives what LM said last', () =>
    expect(
      converse(
        `local none = get_current_lm() == nil
        local first = LM("openai/gpt-x", { temperature = 0.3, api_key = "secret" })
        local same, kwargs = get_current_lm() == first, first.kwargs
        local second = LM "openai/gpt-y" { model_type = "responses" }
        return { none, same, kwargs, first.model_type, get_current_lm() == second, second.model, second.model_type, second.x == nil }`,
        [],
      ).output,
    ).toEqual([true, true, { temperature: 0.3 }, 'chat', true, 'openai/gpt-y', 'responses', true]));
});

describe('DSPyAgent', () => {
  it.each([
    ['DSPyAgent { name = "helper", system_prompt = "Help." }', 'helper'],
    ['DSPyAgent() { name = "helper", system_prompt = "Help." }', 'helper'],
    ['DSPyAgent { system_prompt = "Help." }', 'agent_1'],
  ])('is an agent: %s', (form, name) => {
    const { calls, output, program } = converse(
      `LM("openai/gpt-x") local a = ${form} return { a("hi").output, a.get_history()[1].content, a.name }`,
      [{ text: 'hello' }],
    );
    expect(output).toEqual(['hello', 'hi', name]);
    expect(calls[0]).toMatchObject({ agent: name, model: 'openai/gpt-x', system: 'Help.' });
    expect(program.log.entries.at(-1)).toMatchObject({ type: 'agent_turn', name });
  });

  it('is named by the variable that holds it, and made whatever a file calls Agent', () =>
    expect(
      converse(
        'local of = DSPyAgent Agent = nil helper = of { system_prompt = "Help." } return helper.name',
        [],
      ).output,
    ).toBe('helper'));

  it('takes nothing but a table', () =>
    expect(converse('return DSPyAgent("x")', []).output).toContain('table expected, got string'));
});
