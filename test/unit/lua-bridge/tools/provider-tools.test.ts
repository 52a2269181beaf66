import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { converse, toolCall, type Answer } from '../../../support/converse.js';
import type { FakeOptions } from '../../../support/fake-host.js';

const search = 'search = Tool { provider = "openai.web_search", args = { search_context_size = "low" } }';
const reader = 'reader = Agent { model = "openai/gpt-5", model_type = "responses", tools = { search } }';
const given = {
  ...{ name: 'search', source: 'provider.openai.web_search', args: { search_context_size: 'low' } },
  procedure: 'main',
};
const page = (url: string, title?: string) => ({ url, ...(title === undefined ? {} : { title }) });

function told(source: string, answers: Answer[], options: FakeOptions = {}): string[] {
  const { program } = converse(source, answers, options);
  return program.shown.flatMap((each) => (each.kind === 'log' ? [each.message] : []));
}

describe('what a provider runs', () => {
  it('goes out with the calls of the model, and is none of the tools that the run has', () => {
    const { calls, performed } = converse(`${search} ${reader} reader("tea?")`, [{ text: 'ok' }]);
    expect(calls).toMatchObject([{ tools: [], providerTools: [given] }]);
    expect(performed).toEqual(['model_call 0.0']);
  });

  it('leaves no trace in calls of agents that have none', () => {
    const { calls } = converse(`${search} Agent { model = "openai/gpt-5" } ("tea?")`, [{ text: 'ok' }]);
    expect(calls[0]).not.toHaveProperty('providerTools');
  });

  it.each([
    ['is named after its place without a name', '{ provider = "xai.x_search" }', 'reader_xai_x_search'],
    ['has the name that it is given', '{ name = "look", provider = "xai.x_search" }', 'reader_look'],
  ])('%s', (_, tool, name) => {
    const { calls } = converse(
      `reader = Agent { model = "xai/grok-4", tools = { ${tool} } } reader("tea?")`,
      [{ text: 'ok' }],
    );
    expect(calls[0]?.providerTools).toMatchObject([{ name, source: 'provider.xai.x_search', args: {} }]);
  });

  it('says what it found in all rounds of a turn, each page once', () => {
    const { output } = converse(
      `${search} add = Tool { function() return 5 end }
      reader = Agent { model = "openai/gpt-5", tools = { search, add } }
      local found = reader("tea?")
      return { found.sources, found.provider_calls, next(found) ~= "sources" }`,
      [
        {
          toolCalls: [toolCall('add')],
          sources: [page('a'), page('b', 'B')],
          providerCalls: [{ name: 'search', arguments: { query: 'one' } }],
        },
        {
          text: 'ok',
          sources: [page('b'), page('a', 'A')],
          providerCalls: [{ name: 'search', arguments: 'two' }],
        },
      ],
    );
    expect(output).toEqual([
      [page('a', 'A'), page('b', 'B')],
      [
        { name: 'search', arguments: { query: 'one' } },
        { name: 'search', arguments: 'two' },
      ],
      true,
    ]);
  });

  it('is nil where nothing was found', () => {
    const source = `${search} ${reader} local found = reader("tea?") return { tostring(found.sources), tostring(found.provider_calls) }`;
    expect(converse(source, [{ text: 'ok' }]).output).toEqual(['nil', 'nil']);
  });

  it('counts for an answer that had to be mended', () => {
    const { output } = converse(
      `${search} reader = Agent { model = "openai/gpt-5", tools = { search }, output = { n = field.integer { required = true } } }
      local found = reader("how many?")
      return { found.output.n, found.sources }`,
      [{ text: 'five', mistake: 'is no JSON', sources: [page('a')] }, { text: '{"n": 5}' }],
    );
    expect(output).toEqual([5, [page('a')]]);
  });

  it('is not looked for while a conversation is summed up', () => {
    const { calls } = converse(
      `${search} reader = Agent { model = "openai/gpt-5", tools = { search }, message_history = { compact = { over = 20, keep = 1 } } }
      reader(("tea "):rep(40)) reader("more") reader("more")`,
      [{ text: 'one' }, { text: 'sum' }, { text: 'two' }],
    );
    const summaries = calls.filter(({ providerTools }) => providerTools === undefined);
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.length).toBeLessThan(calls.length);
    for (const { messages } of summaries) expect(messages.at(-1)?.content).toMatch(/[Ss]um/);
  });

  it('stays beside the one tool of an agent that writes procedures', () => {
    const { calls } = converse(
      `${search} add = Tool { function() return 5 end }
      reader = Agent { model = "openai/gpt-5", tools = { search, add }, code_mode = true } reader("tea?")`,
      [{ text: 'ok' }],
    );
    expect(calls).toMatchObject([{ tools: [{ name: 'run_procedure' }], providerTools: [given] }]);
    expect(calls[0]?.tools[0]?.description).not.toContain('search');
  });

  it('is judged by what a toolset says, too', () => {
    const source = `${search} Toolset "web" { tools = { search }, approval = "deny" }
      reader = Agent { model = "openai/gpt-5", tools = { "web" } } reader("tea?")`;
    expect(converse(source, [{ text: 'ok' }]).calls[0]).not.toHaveProperty('providerTools');
    expect(told(source, [{ text: 'ok' }])).toEqual([
      'reader · search was not given to the model: the policy forbids it',
    ]);
  });

  it('is said once in a turn to be withheld by workers', () => {
    const withheld = [{ name: 'search', reason: 'search was not given to the model: no' }];
    const source = `${search} add = Tool { function() return 5 end }
      reader = Agent { model = "openai/gpt-5", tools = { search, add } } reader("tea?")`;
    expect(
      told(source, [
        { toolCalls: [toolCall('add')], withheld },
        { text: 'ok', withheld },
      ]),
    ).toEqual(['reader · search was not given to the model: no']);
  });
});

describe('a mock', () => {
  const mocked = (mock: FakeOptions['mock']) =>
    converse(`${search} ${reader} return { reader("tea?").text, search.call_count() }`, [{ text: 'ok' }], {
      ...(mock === undefined ? {} : { mock }),
    });

  it('of the agent asks nobody', () => {
    const { calls, output } = mocked({ all: true, agents: {}, results: {}, people: [] });
    expect(calls).toEqual([]);
    expect(output).toEqual(['Mocked response from reader', 0]);
  });

  it('of the agent may say that it called the tool', () => {
    const turn = { message: 'Tea.', tool_calls: [{ tool: 'search', args: { query: 'tea' } }] };
    expect(mocked({ all: true, agents: { reader: [turn] }, results: {}, people: [] }).output).toEqual([
      'Tea.',
      1,
    ]);
  });

  it('of the tool alone is what a model calls in its place', () => {
    const { calls } = mocked({ all: false, agents: {}, results: { search: 'found' }, people: [] });
    expect(calls).toMatchObject([{ tools: [{ name: 'search' }] }]);
    expect(calls[0]).not.toHaveProperty('providerTools');
  });
});

describe('what is refused', () => {
  it.each<[string, string]>([
    ['provider = "openai.websearch"', 'no provider runs openai.websearch; there are openai.web_search'],
    ['provider = "openai.constructor"', 'no provider runs openai.constructor'],
    ['provider = "__proto__.toString"', 'no provider runs __proto__.toString'],
    [
      'provider = "openai.web_search", args = { size = 1 }',
      'openai.web_search takes no size in args: it takes search_context_size',
    ],
    [
      'provider = "groq.browser_search", args = { n = 1 }',
      'groq.browser_search takes no n in args: it takes none',
    ],
    ['provider = "openai.web_search", args = { "low" }', 'args must be a table of settings by their names'],
    ['provider = "openai.web_search", args = "low"', 'args must be a table of settings by their names'],
    [
      'provider = "openai.web_search", use = "host.a"',
      'has provider = …, and a function, use or http besides',
    ],
    [
      'provider = "openai.web_search", function() end',
      'has provider = …, and a function, use or http besides',
    ],
  ])('Tool { %s }', (fields, message) => {
    expect(converse(`t = Tool { ${fields} }`, []).ended).toMatchObject({
      error: { code: 'source_invalid', message: expect.stringContaining(message) as unknown },
    });
  });

  it('is a model of another provider, before it is asked', () => {
    const { calls, output } = converse(
      `${search} Agent { model = "claude-x", tools = { search } } ("tea?")`,
      [],
    );
    expect(calls).toEqual([]);
    expect(output).toContain(
      'openai runs provider.openai.web_search for its own models alone, and the model is claude-x',
    );
  });

  it('is all of it in a run that began before', () => {
    const run = (engine: number): JsonValue => converse(`${search} return 1`, [], { engine }).output;
    expect(run(5)).toContain('a tool needs a function');
    expect(run(6)).toBe(1);
  });
});
