import { describe, expect, it } from 'vitest';
import { describeSource } from '../../../../src/client/procedures/describe-source.js';
import { converse } from '../../../support/converse.js';
import { procedureSource } from '../../../support/procedure-source.js';

const declared = (more = ''): string =>
  `m = Model {type = "llm", model = "openai/gpt-x", system_prompt = "Label it.", temperature = 0.2, input = {text = "string"}${more}} `;

describe('a model of the type llm', () => {
  it('asks a language model, each question by itself', () => {
    const { calls, output, performed } = converse(
      `${declared()}local a = m({text = "good"}) local b = m.predict({text = "bad"}) return {a.output.response, b.output.response}`,
      [{ text: 'positive' }, { text: '{"response": "negative"}' }],
    );
    expect(output).toEqual(['positive', 'negative']);
    expect(calls.map(({ messages }) => messages)).toEqual([
      [{ role: 'user', content: '{"text":"good"}' }],
      [{ role: 'user', content: '{"text":"bad"}' }],
    ]);
    expect(calls[0]).toMatchObject({
      ...{ agent: 'm', model: 'openai/gpt-x', system: 'Label it.', tools: [], outputSchema: null },
      settings: { temperature: 0.2 },
    });
    expect(performed).toEqual(['model_call 0.0', 'model_call 1.0']);
  });

  it('is a prediction in the log', () => {
    const { program } = converse(`${declared()}return m({text = "x"}).output`, []);
    expect(program.log.entries.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'model_call m',
      'model_predict m',
    ]);
  });

  it('is held to the output that it declares', () => {
    const { calls, output } = converse(
      `${declared(', output = {label = "string"}')}return m({text = "x"}).output.label`,
      [{ text: '{"label": "good"}' }],
    );
    expect(output).toBe('good');
    expect(calls[0]?.outputSchema).toMatchObject({ properties: { label: { type: 'string' } } });
  });

  it.each([
    [
      '{response = "string", score = "number"}',
      '{"response": "good", "score": 3}',
      { response: 'good', score: 3 },
    ],
    ['{response = "number"}', '{"response": 5}', { response: 5 }],
    ['field.string {}', '"good"', 'good'],
    ['field.array {}', '["good"]', ['good']],
  ])('is held to the output %s', (output, text, expected) => {
    const run = converse(`${declared(`, output = ${output}`)}return m({text = "x"}).output`, [{ text }]);
    expect(run.calls[0]?.outputSchema).not.toBeNull();
    expect(run.output).toEqual(expected);
  });

  it('gives its words where the output is its response', () => {
    const run = converse(`${declared(', output = {response = "string"}')}return m({text = "x"}).output`, [
      { text: 'good' },
    ]);
    expect(run.calls[0]?.outputSchema).toBeNull();
    expect(run.output).toEqual({ response: 'good' });
  });

  it('asks no other model than one of the provider that it names', () => {
    const { calls, output } = converse(
      'm = Model {type = "llm", provider = "anthropic"}\nreturn m("hi")',
      [],
    );
    expect(output).toBe('m names the provider anthropic and no model');
    expect(calls).toEqual([]);
  });

  it.each([
    ['m({})', 'Missing required field: text'],
    ['Model {type = "llm", temperature = 7}', 'temperature must be a number from 0 to 2'],
  ])('says what is wrong with %s', (call, message) => {
    const { output, calls } = converse(`${declared()}return ${call}`, []);
    expect(output).toContain(message);
    expect(calls).toEqual([]);
  });

  it('is known before anything starts, by whom it asks', () => {
    expect(describeSource(procedureSource(`${declared()}Procedure {function() end}`)).models).toEqual([
      'openai/gpt-x',
    ]);
  });
});
