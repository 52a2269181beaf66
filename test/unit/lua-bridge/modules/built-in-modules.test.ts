import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../../src/contract/effects/digest.js';
import type { HumanAsk } from '../../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { converse } from '../../../support/converse.js';
import { outputOf, runFake, type Perform } from '../../../support/fake-host.js';

const triage = (options = ''): string =>
  `local c = Classify {name = "triage", method = "llm", classes = {"billing", "bug"}, prompt = "Sort it.", ${options}} `;

describe('Classify by a model', () => {
  it('asks for one of the classes, each time anew', () => {
    const { calls, output } = converse(
      `${triage('temperature = 0, model = "openai/gpt-x"')}local r = c("Too expensive") c:classify("Broken") return r`,
      [{ text: '{"value": "billing"}' }, { text: '{"value": "bug"}' }],
    );
    expect(output).toEqual({
      value: 'billing',
      confidence: 0.8,
      retry_count: 0,
      raw_response: { value: 'billing' },
    });
    expect(calls[1]).toMatchObject({
      agent: 'triage',
      model: 'openai/gpt-x',
      system: 'Sort it.\n\nAnswer with one of: billing, bug',
      messages: [{ role: 'user', content: 'Broken' }],
      outputSchema: { properties: { value: { enum: ['billing', 'bug'] } } },
      settings: { temperature: 0 },
    });
  });

  it.each<[string, JsonValue]>([
    ['Billing', 'billing'],
    ['I think:\n**bug**', 'bug'],
    ['Answer: billing.', 'billing'],
    ['{"value": "BUG"}', 'bug'],
  ])('reads the answer %s', (text, value) => {
    expect(converse(`${triage()}return c("x").value`, [{ text }]).output).toBe(value);
  });

  it('takes an answer of any form, and logs of versions that did not say so go on to fit', () => {
    const { calls, program } = converse(`${triage()}return c("x").value`, [{ text: 'bug' }]);
    const { isLenient, isInTurn: _, keepsThoughts: __, ...call } = calls[0] ?? {};
    expect(isLenient).toBe(true);
    const asked = { kind: 'model_call', call } as unknown as JsonValue;
    expect(program.log.entries[0]).toMatchObject({ type: 'model_call', digest: `2:${digestOf(asked)}` });
  });

  it('takes what stands before the class for its explanation', () => {
    const text = 'It was paid twice.\nThat is about money.\n**Billing**';
    expect(converse(`${triage()}return c("x")`, [{ text }]).output).toMatchObject({
      value: 'billing',
      explanation: 'It was paid twice.\nThat is about money.',
    });
  });

  it('asks again where the answer is none of them, and says so in the end', () => {
    const source = `${triage('max_retries = 2')}return c("x")`;
    expect(converse(source, [{ text: 'maybe' }, { text: 'bug' }]).output).toMatchObject({
      value: 'bug',
      retry_count: 1,
    });
    const { calls, output } = converse(source, []);
    expect(calls).toHaveLength(3);
    expect(output).toMatchObject({ value: 'ERROR', retry_count: 2, raw_response: 'hello' });
  });

  it('passes on that the model is not there', () => {
    const perform: Perform = () => {
      throw new Error('the provider is down');
    };
    expect(() => outputOf(`${triage()}return c("x")`, { perform })).toThrow('the provider is down');
  });

  it('classifies at once what it is given as input', () =>
    expect(
      converse('return Classify {classes = {"a", "b"}, prompt = "p", input = "x"}.value', [{ text: 'b' }])
        .output,
    ).toBe('b'));

  it.each([
    ['Classify {method = "naive_bayes"}', 'a naive_bayes classifier needs a name'],
    ['Classify {method = "bayes"}', 'the method bayes is not there; llm, fuzzy and naive_bayes are'],
    ['Classify {classes = {"a"}}', 'a classifier needs a prompt'],
    ['Classify {prompt = "p"}', 'a classifier needs classes'],
    ['Classify()', 'table expected'],
  ])('%s is an error', (call, message) => expect(() => outputOf(call)).toThrow(message));
});

it('an error within a module has the line that called it', () => {
  const { ended } = runFake('local x = 1\n\nreturn Classify {classes = {"a"}}');
  expect(ended?.kind === 'failed' && ended.error.toRunError()).toMatchObject({
    ...{ file: 'main.tac', line: 3 },
    traceback: expect.stringMatching(/tactus\.text\.classify.*\n(.*\n)*main\.tac:3/) as string,
  });
});

describe('a classifier with a threshold', () => {
  const asked: HumanAsk[] = [];
  /** A model that answers so, and a person who says that it is a bug. */
  const answering =
    (text: string, confidences?: Record<string, number>): Perform =>
    (effect) => {
      if (effect.kind === 'human') {
        asked.push(effect.ask);
        return { value: 'bug', by: 'mia', comment: null, at: 0 };
      }
      const usage = { input_tokens: 1, output_tokens: 1 };
      const said = { text, toolCalls: [], finishReason: 'stop', usage, model: 'local/x' };
      return { ...said, ...(confidences === undefined ? {} : { confidences }) };
    };
  const unsure = answering('{"value": "billing"}', { billing: 0.55, bug: 0.45 });
  const ended = (options: string, perform: Perform, engine?: number): unknown => {
    asked.length = 0;
    const source = `${triage(options)}local r = c("It broke") return { r.value, r.by_person or false, r.guess and r.guess.value }`;
    return runFake(source, { perform, ...(engine === undefined ? {} : { engine }) }).ended;
  };

  it('asks a person where the model is less sure than that', () => {
    const options = 'threshold = 0.7, person = {timeout = "1d", default = "billing"}';
    expect(ended(options, unsure)).toMatchObject({ output: ['bug', true, 'billing'] });
    expect(asked).toMatchObject([
      {
        message: 'Sort it.',
        options: ['billing', 'bug'],
        context: { text: 'It broke', guess: 'billing', confidence: 0.55 },
        default: 'billing',
      },
    ]);
  });

  it('asks nobody where the model is sure, or where there is none', () => {
    const sure = answering('{"value": "billing"}', { billing: 0.9, bug: 0.1 });
    expect(ended('threshold = 0.7', sure)).toMatchObject({ output: ['billing', false] });
    expect(ended('', unsure)).toMatchObject({ output: ['billing', false] });
    expect(asked).toEqual([]);
  });

  it('asks a person where the model names no class', () => {
    expect(ended('threshold = 0.1, max_retries = 0', answering('whatever'))).toMatchObject({
      output: ['bug', true, 'ERROR'],
    });
  });

  it('had no effect in runs that began on an older engine', () => {
    expect(ended('threshold = 0.7', unsure, 3)).toMatchObject({ output: ['billing', false] });
  });

  it.each(['threshold = 2', 'threshold = "high"'])('refuses %s', (wrong) => {
    expect(ended(wrong, unsure)).toMatchObject({
      error: { message: expect.stringContaining('threshold must be a number from 0 to 1') as string },
    });
  });
});

describe('ClassifyProcedure', () => {
  const declared = (config: string): string => `ClassifyProcedure {classes = {"Yes", "No"}, ${config}}`;

  it('is a procedure that asks about what its template makes of the input', () => {
    const template =
      'Of {{metadata.agent.name}}, after {{ results[0].value }} ({{ metadata.none }}{{ metadata.tags }}): {{ text }}';
    const { calls, output } = converse(
      declared(
        `name = "greeted", model = "openai/gpt-x", system_message = {"One.", "Two."}, user_message = "${template}"`,
      ),
      [{ text: '{"value": "No"}' }],
      {
        input: {
          text: 'Hi {{ text }}',
          metadata: { agent: { name: 'Ada' }, tags: ['a'] },
          results: [{ value: 5 }],
        },
      },
    );
    expect(output).toEqual({ value: 'No', explanation: '' });
    expect(calls[0]).toMatchObject({
      agent: 'greeted',
      model: 'openai/gpt-x',
      system: 'One.\n\nTwo.\n\nAnswer with one of: Yes, No',
      messages: [{ role: 'user', content: 'Of Ada, after 5 (["a"]): Hi {{ text }}' }],
    });
  });

  it.each([
    ['prompt = "Polite?"', 'Polite?', 'a text'],
    ['system_message = "Polite?", prompt = "<{{text}}>"', 'Polite?', '<a text>'],
    ['prompt = "Polite?", input_field = "said"', 'Polite?', 'a text'],
  ])('with %s', (config, system, content) => {
    const input = { [config.includes('said') ? 'said' : 'text']: 'a text' };
    const { calls } = converse(declared(config), [{ text: '{"value": "Yes"}' }], { input });
    expect(calls[0]).toMatchObject({
      system: `${system}\n\nAnswer with one of: Yes, No`,
      messages: [{ role: 'user', content }],
    });
  });

  it.each([
    [declared('user_message = "x"'), 'needs system_message and user_message, or a prompt'],
    [declared(''), 'needs system_message and user_message, or a prompt'],
    ['ClassifyProcedure {prompt = "p"}', 'a classifier needs classes'],
    ['ClassifyProcedure()', 'table expected'],
    [
      declared('system_message = "s", user_message = "{% if text %}x{% endif %}"'),
      "can't have {% if text %}",
    ],
    [declared('system_message = "s", user_message = "{{ text | upper }}"'), "can't have {{ text | upper }}"],
    [declared('system_message = "s", user_message = "{{ txt }}"'), "can't have {{ txt }}"],
  ])('%s is refused', (source, message) => {
    expect(() => outputOf(source, { input: { text: 'x' } })).toThrow(message);
  });
});

describe('Classify by likeness', () => {
  it.each<[string, string, [string, number | null]]>([
    ['classes = {"refund", "login"}', 'Refund ', ['refund', 1]],
    ['classes = {"refund", "login"}', 'weather', ['NO_MATCH', null]],
    ['expected = "yes please"', 'YES please', ['Yes', 1]],
    ['expected = "yes please"', 'never', ['No', null]],
    [
      'classes = {"password reset"}, algorithm = "token_set_ratio"',
      'I need a password reset now',
      ['password reset', 1],
    ],
    ['classes = {"b a"}, algorithm = "token_sort_ratio"', 'a b', ['b a', 1]],
    ['classes = {"reset"}, algorithm = "partial_ratio"', 'please reset it', ['reset', 1]],
    ['classes = {"abcd"}, threshold = 0.5', 'abxd', ['abcd', 0.75]],
    ['classes = {"a"}', '', ['NO_MATCH', 1]],
  ])('{%s} of %j', (options, text, [value, confidence]) => {
    const result = outputOf(`return Classify {method = "fuzzy", ${options}}("${text}")`) as {
      value: string;
      confidence: number;
    };
    expect(result.value).toBe(value);
    if (confidence !== null) expect(result.confidence).toBeCloseTo(Number(confidence), 9);
  });

  it.each([
    ['{method = "fuzzy"}("x")', 'needs classes'],
    ['{method = "fuzzy", classes = {"a"}, algorithm = "constructor"}("x")', 'token_set_ratio'],
    ['{method = "fuzzy", classes = {"a"}}()', 'text expected'],
    [
      '{method = "fuzzy", classes = {("ab"):rep(40000)}, algorithm = "partial_ratio"}(("ba"):rep(40000))',
      'instructions',
    ],
  ])('Classify %s is an error', (call, message) =>
    expect(() => outputOf(`return Classify ${call}`)).toThrow(message),
  );

  it('may be extended by the author', () =>
    expect(
      outputOf(`
        local classify = require("tactus.text.classify")
        local Loud = classify.class(classify.BaseClassifier)
        function Loud:classify(text) return {value = text:upper(), by = self.config.by} end
        return Loud:new{by = "me"}("x")`),
    ).toEqual({ value: 'X', by: 'me' }));
});

describe('extract', () => {
  const extractor = (options = ''): string =>
    `local e = require("tactus.text.extract").LLMExtractor:new{fields = {name = "string", age = "integer", tags = "list", member = "boolean"}, prompt = "Read it.", ${options}} `;

  it('gives the fields with their types', () => {
    const { output, calls } = converse(`${extractor()}return e("Ann is 7")`, [
      { text: '{"name": "Ann", "age": 7, "tags": ["x"], "member": true}' },
    ]);
    expect(output).toMatchObject({
      fields: { name: 'Ann', age: 7, tags: ['x'], member: true },
      retry_count: 0,
    });
    expect(calls[0]?.outputSchema).toMatchObject({ properties: { age: { type: 'integer' } } });
  });

  it('reads what stands between other words, and turns types', () =>
    expect(
      converse(`${extractor()}return e("x").fields`, [
        { text: 'Here: {"name": 5, "age": "7.9", "tags": [], "member": "yes"} Bye' },
      ]).output,
    ).toEqual({ name: '5', age: 7, tags: [], member: true }));

  it('asks again with what is wrong, and gives up', () => {
    const { calls, output } = converse(`${extractor('max_retries = 1')}return e("x")`, [
      { text: 'no' },
      { text: '{"name": "A"}' },
    ]);
    expect(calls[1]?.messages.at(-1)?.content).toContain('The answer is no JSON object');
    expect(output).toMatchObject({
      fields: [],
      retry_count: 1,
      validation_errors: [
        'Missing required field: age',
        'Missing required field: member',
        'Missing required field: tags',
      ],
    });
    expect(
      converse(`${extractor('strict = false')}return e("x").fields`, [{ text: '{"name": "A"}' }]).output,
    ).toEqual({ name: 'A' });
  });
});

describe('generate', () => {
  const generator = (options = ''): string =>
    `local g = require("tactus.generate").LLMGenerator:new{${options}} `;

  it.each([
    ['', 'a text', { output: 'a text', format: 'text', retry_count: 0 }],
    ['output_format = "json"', '{"a": 1}', { output: '{"a": 1}', format: 'json' }],
    ['reasoning = true', 'REASONING: why\nRESPONSE: so', { output: 'so', reasoning: 'why' }],
  ])('with {%s}', (options, text, expected) =>
    expect(converse(`${generator(options)}return g("x")`, [{ text }]).output).toMatchObject(expected),
  );

  it('says what it wants, and asks again', () => {
    const { calls, output } = converse(
      `${generator('output_format = "json", max_retries = 1, instructions = "Be brief.", constraints = {"a", "b"}')}return g("x")`,
      [],
    );
    expect(calls[0]?.system).toBe(
      'You are a helpful assistant.\n\nAnswer with JSON alone: no other words and no code block.\n\nBe brief.\n\nConstraints: a, b',
    );
    expect(output).toMatchObject({
      output: 'hello',
      retry_count: 1,
      error: 'no answer is JSON after 1 retries',
    });
  });
});

describe('modules that are not there', () => {
  it.each(['tactus.io.fs', 'tactus.web', 'tactus.nothing', 'tactus.constructor', 'tactus.tools.constructor'])(
    '%s',
    (name) =>
      expect(() => outputOf(`require("${name}")`)).toThrow(
        `module '${name}' is not there; there are: tactus.tools.done, tactus.tools.log, tactus.text.class`,
      ),
  );

  it('have a line in the file that asks for them', () =>
    expect(() => outputOf('local x = 1\nrequire("tactus.io.fs")')).toThrowError(
      expect.objectContaining({ details: expect.objectContaining({ file: 'main.tac', line: 2 }) as unknown }),
    ));
});

describe('package.loaded', () => {
  it.each([
    ['require("m") return package.loaded.m', 'loaded once'],
    ['package.loaded.m = "mine" return require("m")', 'mine'],
    [
      'local a = require("n") package.loaded.n = nil local b = require("n") return {a, b, require("n")}',
      [1, 2, 2],
    ],
    ['return package.loaded.os == nil', true],
  ])('%s', (source, expected) =>
    expect(
      outputOf(source, {
        files: { 'm.tac': 'return "loaded once"', 'n.tac': 'count = (count or 0) + 1 return count' },
      }),
    ).toEqual(expected),
  );
});
