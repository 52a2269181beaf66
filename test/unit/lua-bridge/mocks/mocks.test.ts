import { describe, expect, it } from 'vitest';
import type { MockPlan } from '../../../../src/contract/mocks/mock-plan.js';
import type { ScenarioStep } from '../../../../src/contract/specifications/scenario.js';
import { defaultLimits } from '../../../../src/contract/runs/limits.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { Program, type Turn } from '../../../../src/lua-bridge/index.js';

const none: MockPlan = { all: false, agents: {}, results: {}, people: null };
const all: MockPlan = { ...none, all: true };

function program(text: string, mock?: MockPlan, scenario?: ScenarioStep[]): Program {
  return new Program({
    source: { entry: 'main.tac', files: { 'main.tac': text } },
    input: {},
    runId: 'run',
    startedAt: 0,
    seed: 'seed',
    limits: defaultLimits,
    carried: [],
    mock,
    scenario,
  });
}

function run(body: string, mock?: MockPlan): Turn {
  return program(`Procedure { function()\n${body}\nend }`, mock).turn();
}

function outputOf(turn: Turn): JsonValue {
  if (turn.kind !== 'completed') throw new Error(`it is ${JSON.stringify(turn)}`);
  return turn.output;
}

const greeter = 'greeter = Agent { model = "openai/gpt-5-mini", system_prompt = "Be kind" }';

describe('mocks of agents', () => {
  it('answer in place of the model, and are part of the conversation', () => {
    const turn = run(
      `${greeter}
      Mocks { greeter = { message = "Hi!", usage = { prompt_tokens = 3, completion_tokens = 2 } } }
      local result = greeter("Hello")
      return { said = result.output, usage = result.usage.total_tokens, messages = #greeter.history }`,
      all,
    );
    expect(outputOf(turn)).toEqual({ said: 'Hi!', usage: 5, messages: 2 });
  });

  it('are meant for the only agent, whatever the file calls it', () => {
    const body = 'local greeter = Agent {}\nMocks { greeter = { message = "Hi!" } }\nreturn greeter().output';
    expect(outputOf(run(body, all))).toBe('Hi!');
    expect(outputOf(run(`other = Agent {}\n${body}`, all))).toBe('Mocked response from agent_2');
  });

  it('that say JSON give a table, as a model does', () => {
    const mocked = (word: string): string =>
      `writer = ${word} {}\nMocks { writer = { message = '{"a": 1}' } }\nreturn {given = writer().output}`;
    expect(outputOf(run(mocked('Agent'), all))).toEqual({ given: { a: 1 } });
    expect(outputOf(run(mocked('agent'), all))).toEqual({ given: '{"a": 1}' });
  });

  it('of the file count with --mock alone', () => {
    const body = `${greeter}\nMocks { greeter = { message = "Hi!" } }\nreturn greeter().output`;
    expect(run(body).kind).toBe('blocked');
    expect(run(body, none).kind).toBe('blocked');
    expect(outputOf(run(body, all))).toBe('Hi!');
  });

  it('come in their order, the last again and again, or by message', () => {
    const body = `${greeter}
      Mocks { greeter = { message = "else", temporal = {
        { message = "one" }, { message = "two" }, { message = "for Ann", when_message = "I am Ann" } } } }
      return { greeter("x").output, greeter("I am Ann").output, greeter("y").output, greeter("z").output }`;
    expect(outputOf(run(body, all))).toEqual(['one', 'for Ann', 'for Ann', 'for Ann']);
  });

  it('say so where none was written', () => {
    expect(outputOf(run(`${greeter}\nreturn greeter().output`, all))).toBe('Mocked response from greeter');
  });

  it('have the form that the agent declares, where none was written', () => {
    const extractor = `extractor = Agent { model = "openai/gpt-5-mini", output = {
      city = field.string{required = true}, size = { type = "string", enum = { "small", "large" } },
      population = field.integer{}, capital = field.boolean{}, unit = field.string{default = "people"},
      rivers = { type = "array", items = { type = "string" } }, twins = field.array{},
      mayor = { type = "object", properties = { name = { type = "string" } } } } }`;
    expect(outputOf(run(`${extractor}\nreturn extractor().output`, all))).toEqual({
      city: 'Mocked city from extractor',
      size: 'small',
      population: 1,
      capital: true,
      unit: 'people',
      rivers: ['Mocked rivers from extractor'],
      twins: [],
      mayor: { name: 'Mocked name from extractor' },
    });
    const named = `${extractor}\nMocks { extractor = { message = "Paris" } }\nreturn extractor().output`;
    expect(outputOf(run(named, all))).toBe('Paris');
  });

  it('call done at once for agents written as in 0.10', () => {
    const body =
      'agent("Old", { provider = "openai" })\nreturn { Old.turn().output, Tool.called("done"), Stage.current() }';
    const tested = program(
      `stages({ "a", "b" })\nProcedure { function() Stage.set("a") Stage.set("b")\n${body}\nend }`,
      all,
      [{ kind: 'run' }],
    );
    expect(outputOf(tested.turn())).toEqual(['Mocked response from Old', true, 'b']);
    expect(tested.observed).toMatchObject({
      stages: ['a', 'b'],
      agentTurns: { Old: 1 },
      toolCalls: [{ tool: 'done' }],
    });
  });

  it('call tools without running them', () => {
    const turn = run(
      `local done = require("tactus.tools.done")
      search = Tool { description = "s", function() error("not to be run") end }
      worker = Agent { tools = { search, done } }
      Mocks {
        worker = { message = "Found", tool_calls = {
          { tool = "search", args = { q = "tea" } }, { tool = "unheard_of" }, { tool = "done", args = { reason = "so" } } } },
        search = { returns = { hits = 2 } },
      }
      worker()
      return { search.last_call().args.q, search.last_result().hits, done.last_result().reason, done.call_count() }`,
      all,
    );
    expect(outputOf(turn)).toEqual(['tea', 2, 'so', 1]);
  });

  it('give data where a schema is declared', () => {
    const schema = 'output = { label = field.string{required = true} }';
    const body = (mock: string): string =>
      `judge = Agent { ${schema} }\nMocks { judge = ${mock} }\nreturn judge("x").output.label`;
    expect(outputOf(run(body('{ data = { label = "good" } }'), all))).toBe('good');
    expect(outputOf(run(body('{ message = [[{"label": "fine"}]] }'), all))).toBe('fine');
  });

  it('of the run come first, also for an agent whose name nobody knows', () => {
    const plan: MockPlan = { ...none, agents: { helper: [{ message: 'planned' }] } };
    expect(outputOf(run('local agent = Agent {}\nreturn agent().output', plan))).toBe('planned');
    expect(outputOf(run('helper = Agent {}\nother = Agent {}\nreturn helper().output', plan))).toBe(
      'planned',
    );
    expect(run('helper = Agent {}\nother = Agent {}\nreturn other().output', plan).kind).toBe('blocked');
  });
});

describe('mocks of tools and models', () => {
  it.each([
    ['{ returns = 5 }', 5],
    ['{ temporal = { "a", "b" } }', 'a'],
    [
      '{ conditional = { { when = { q = "other" }, returns = 1 }, { when = { q = "tea" }, returns = 2 } } }',
      2,
    ],
    ['{ conditional = { { when = { q = "contains: e" }, returns = 1 } } }', 1],
    ['{ conditional = { { when = { q = "startswith:te" }, returns = 1 } } }', 1],
    ['{ conditional = { { when = { q = "endswith:x" }, returns = 1 } } }', 'real'],
    ['{ conditional = { { when = { missing = "x" }, returns = 1 } } }', 'real'],
  ])('%s', (mock, expected) => {
    const body = `search = Tool { input = { q = field.string{} }, function() return "real" end }
      Mocks { search = ${mock} }
      return search({ q = "tea" })`;
    expect(outputOf(run(body, all))).toEqual(expected);
  });

  it('fail where the mock is an error', () => {
    const body = `search = Tool { function() return 1 end }
      Mocks { search = { error = "no network" } }
      local ok, problem = pcall(search, {})
      return { ok, problem }`;
    expect(outputOf(run(body, all))).toEqual([false, 'no network']);
  });

  it('answer for models, which are asked of nobody else', () => {
    const model = 'mood = Model { type = "http", endpoint = "http://localhost:1/predict" }';
    expect(
      outputOf(run(`${model}\nMocks { mood = { returns = "calm" } }\nreturn mood({}).output`, all)),
    ).toBe('calm');
  });

  it('say so for models too where none was written, in the form that the model declares', () => {
    const model = (more: string): string =>
      `mood = Model { type = "http", endpoint = "http://localhost:1/predict"${more} }\nreturn mood({}).output`;
    expect(outputOf(run(model(''), all))).toBe('Mocked prediction from mood');
    expect(outputOf(run(model(', output = { label = "string", confidence = "float" }'), all))).toEqual({
      label: 'Mocked label from mood',
      confidence: 1,
    });
    expect(run(model('')).kind).toBe('blocked');
  });

  it('stand for models that a worker has, one input at a time or many', () => {
    const model = `mood = Model { type = "registry", name = "mood", output = { label = "string" } }
      Mocks { mood = { returns = { label = "calm" } } }`;
    expect(outputOf(run(`${model}\nreturn mood({}).output`, all))).toEqual({ label: 'calm' });
    expect(outputOf(run(`${model}\nreturn #mood.predict_batch({{}, {}, {}})`, all))).toBe(3);
    expect(program('mood = Model { type = "htpp" }').turn()).toMatchObject({
      error: { code: 'unknown_model' },
    });
  });

  it.each([
    ['Mocks { search = 5 }', 'search must be a table'],
    ['Mocks { search = {} }', 'search must be a table'],
    ['Mocks { search = { return_value = 5 } }', 'search has the unknown key return_value'],
    ['Mocks()', 'table expected'],
  ])('%s is refused', (text, message) => {
    const turn = program(`${text}\nProcedure { function() end }`).turn();
    expect(turn.kind === 'failed' && turn.error.message).toContain(message);
  });
});

describe('a scenario', () => {
  const text = `
    Procedure { output = { n = field.number{} }, function()
      state.n = (state.n or 0) + 1
      if state.broken then error("no luck") end
      return { n = state.n }
    end }
    Step("a state of (\\\\d+)", function(context, n) state.n = tonumber(n) context.seen = n end)
    Step("a broken state", function() state.broken = true end)
    Step("all is well", function(context) assert(context.output.n == 6 and context.seen == "5", "it is not") end)
    step("an older spelling", function() assert(state.n == 6) end)
    Step("it can't be", function() error("of course not") end)
    Specification[[Feature: F]]
    Step("maybe( this)?", function(context, this) assert(this == nil, "it is there") end)`;
  const own = (step: number, ...captures: (string | null)[]): ScenarioStep => ({
    kind: 'own',
    step,
    captures,
  });

  it('runs the procedure between the file’s own steps', () => {
    const scenario = [own(0, '5'), { kind: 'run' } as const, own(2), own(3)];
    const tested = program(text, none, scenario);
    expect(outputOf(tested.turn())).toEqual({ n: 6 });
    const passed = { ok: true, message: '' };
    expect(tested.observed?.steps).toEqual({ 0: passed, 2: passed, 3: passed });
  });

  it('looks on when the procedure has failed, which is how it ends', () => {
    const tested = program(text, none, [own(1), { kind: 'run' }, own(2), own(0, '1')]);
    const turn = tested.turn();
    expect(turn.kind === 'failed' && turn.error.message).toContain('no luck');
    expect(tested.observed?.steps[2]?.message).toMatch(/^main\.tac:9: /);
    expect(tested.observed?.steps[3]?.ok).toBe(true);
  });

  it('runs nothing after a step that failed before', () => {
    const tested = program(text, none, [own(4), { kind: 'run' }]);
    expect(outputOf(tested.turn())).toBeNull();
    expect(tested.observed?.steps[0]).toEqual({ ok: false, message: 'main.tac:11: of course not' });
    expect(tested.state()).toEqual({});
  });

  it('hands on nil for what a pattern leaves out', () => {
    const tested = program(text, none, [own(5, null), own(5, ' this')]);
    tested.turn();
    expect(tested.observed?.steps[0]).toEqual({ ok: true, message: '' });
    expect(tested.observed?.steps[1]?.message).toContain('it is there');
  });

  it('declares its steps and texts without running anything', () => {
    const tested = program(text, all, []);
    tested.turn();
    const { specifications, steps } = tested.describeTests();
    expect(specifications).toEqual([{ text: 'Feature: F', from: null, line: 12 }]);
    expect(steps.map(({ pattern }) => pattern)).toEqual([
      'a state of (\\d+)',
      'a broken state',
      'all is well',
      'an older spelling',
      "it can't be",
      'maybe( this)?',
    ]);
  });
});

describe('mocks of what asks a model', () => {
  it('answer as a language model does', () =>
    expect(outputOf(run('m = Model {type = "llm"}\nreturn m("x").output', all))).toEqual({
      response: 'Mocked prediction from m',
    }));

  const triage = 'Classify {name = "triage", classes = {"a", "b"}, prompt = "p"}("x")';

  it('answer in place of a classifier, one after another', () => {
    const mock = 'Mocks { triage = { temporal = {{value = "maybe"}, {value = "B", confidence = 0.9}} } }';
    expect(outputOf(run(`${mock} return ${triage}`, all))).toMatchObject({
      value: 'b',
      confidence: 0.9,
      retry_count: 1,
    });
  });

  it.each(['', 'name = "triage", '])('that was not written is the first class (%s)', (name) =>
    expect(outputOf(run(`return Classify {${name}classes = {"a", "b"}, prompt = "p"}("x")`, all))).toEqual({
      ...{ value: 'a', confidence: 0.8, retry_count: 0 },
      raw_response: { value: 'a' },
    }),
  );

  it('may be of the agent that it is', () =>
    expect(outputOf(run(`Mocks { triage = { message = "a" } } return ${triage}.value`, all))).toBe('a'));

  it('stand for tools that nobody declares', () =>
    expect(
      outputOf(
        run(
          'a = Agent {tools = {"search"}} Mocks { a = { message = "found", tool_calls = {{tool = "search", args = {}}} } } return {a("x").output, Tool.called("search")}',
          all,
        ),
      ),
    ).toEqual(['found', true]));

  it('record done, though nobody required it', () =>
    expect(
      outputOf(
        run(
          'a = Agent {tools = {"done"}} Mocks { a = { message = "", tool_calls = {{tool = "done", args = {reason = "r"}}} } } a("x") return {Tool.last_result("done").status, Stop.reason()}',
          all,
        ),
      ),
    ).toEqual(['completed', 'r']));
});

describe('mocks of requests', () => {
  const asked = (mocks: string, call = 'http_client.get("https://a.example/users?x=1")') =>
    run(
      `${mocks === '' ? '' : `Mocks { ${mocks} }`}
       local ok, r = pcall(function() return ${call} end)
       return ok and {r.status, r.ok, r.json or "nil", r.body} or {r}`,
      all,
    );

  it.each([
    ['{ status = 404 }', [404, false, 'nil', '']],
    ['{ json = { n = 1 } }', [200, true, { n: 1 }, '{"n":1}']],
    ['{ body = "{\\"n\\": 1}", status = 201 }', [201, true, { n: 1 }, '{"n": 1}']],
    ['{ status = "success" }', [200, true, { status: 'success' }, '{"status":"success"}']],
    ['{ n = 1 }', [200, true, { n: 1 }, '{"n":1}']],
    ['"text"', [200, true, 'nil', 'text']],
  ])('give a response of %s', (returns, expected) =>
    expect(outputOf(asked(`http_client = { returns = ${returns} }`))).toEqual(expected),
  );

  it('go by method, URL and body, and by turns', () => {
    const mocks = `http_client = { conditional = {
      { when = { method = "POST", body = "contains: Ada" }, returns = { status = 201 } },
      { when = { url = "contains: /users" }, returns = { status = 202 } } } }`;
    const post = 'http_client.post("https://a.example", {json = {name = "Ada"}})';
    expect(outputOf(asked(mocks, post))).toEqual([201, true, 'nil', '']);
    expect(outputOf(asked(mocks))).toEqual([202, true, 'nil', '']);
    const turns = 'Mocks { http_client = { temporal = { { status = 500 }, { status = 200 } } } }';
    const get = 'http_client.get("https://a.example").status';
    expect(outputOf(run(`${turns} return {${get}, ${get}, ${get}}`, all))).toEqual([500, 200, 200]);
  });

  it('fail where they say so', () =>
    expect(outputOf(asked('http_client = { error = "down" }'))).toEqual(['down']));

  it('of a dependency have its name, and are those of all requests where it has none', () => {
    const procedure = (mocks: string): JsonValue => {
      const turn = program(
        `Procedure { dependencies = {api = {type = "http_client", base_url = "https://a.example"}},
          function() return dependencies.api.get("/x").json end }
        Mocks { ${mocks} }`,
        all,
      ).turn();
      return outputOf(turn);
    };
    expect(procedure('api = { returns = 1 }, http_client = { returns = 2 }')).toBe(1);
    expect(procedure('http_client = { returns = 2 }')).toBe(2);
  });

  it('that are missing are told, and nothing is sent', () =>
    expect(outputOf(asked(''))).toEqual([
      'GET a.example/users is not sent, for nothing outside is asked: write Mocks { http_client = { returns = { status = 200, json = … } } }',
    ]));

  it('count where they are asked for: else the request is sent', () => {
    const body = 'Mocks { http_client = { returns = 1 } } return http_client.get("https://a.example").json';
    expect(run(body).kind).toBe('blocked');
    expect(run(body, none).kind).toBe('blocked');
    expect(outputOf(run(body, { ...none, results: { http_client: 7 } }))).toBe(7);
  });
});
