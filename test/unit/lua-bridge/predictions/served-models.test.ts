import { describe, expect, it } from 'vitest';
import { isObject, type JsonValue } from '../../../../src/contract/json/json.js';
import type { ModelRun, ModelRunResult } from '../../../../src/contract/predictions/served-model.js';
import { outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

interface Answering {
  runs: ModelRun[];
  options: FakeOptions;
}

/** A worker whose model says of each input what `say` does. */
function answering(say: (input: JsonValue) => JsonValue, answer: Partial<ModelRunResult> = {}): Answering {
  const runs: ModelRun[] = [];
  const perform: FakeOptions['perform'] = (effect) => {
    if (effect.kind !== 'run_model') throw new Error(`asked for ${effect.kind}`);
    runs.push(effect.run);
    return {
      outputs: effect.run.inputs.map(say),
      cost: null,
      version: null,
      ...answer,
    };
  };
  return { runs, options: { perform } };
}

const doing = (body: string): string => `Procedure { function(input)\n${body}\nend }`;
const onnx = 'local m = Model "mood" { type = "onnx", path = "mood.onnx", labels = { "bad", "good" } }\n';

describe('a model that a worker has', () => {
  it('is asked with what its declaration says, and gives what it says with its type and version', () => {
    const { runs, options } = answering(() => ({ label: 'good' }), { version: 'sha256:1', cost: 0.5 });
    expect(outputOf(doing(`${onnx}return m({ 1, 2 })`), options)).toEqual({
      output: { label: 'good' },
      ...{ cost: 0.5, backend_type: 'onnx', model_version: 'sha256:1' },
    });
    expect(runs).toEqual([
      {
        model: 'mood',
        backend: {
          type: 'onnx',
          settings: { path: 'mood.onnx', labels: ['bad', 'good'] },
          timeoutMs: 300_000,
        },
        inputs: [[1, 2]],
      },
    ]);
  });

  it.each([
    ['bert', 'model = "folder"', { path: 'folder' }],
    ['registry', 'version = "champion"', { name: 'm', version: 'champion' }],
    ['registry', 'name = "other"', { name: 'other' }],
    ['python', '', { name: 'm' }],
    ['sagemaker', 'endpoint = "e", region = "eu-west-1"', { endpoint: 'e', region: 'eu-west-1' }],
  ])('of the type %s is told %s', (type, fields, settings) => {
    const { runs, options } = answering(() => 1);
    outputOf(doing(`return Model "m" { type = "${type}", ${fields} }(1).output`), options);
    expect(runs[0]?.backend).toMatchObject({ type, settings });
  });

  it('takes model_name for the folder of its model', () => {
    const { runs, options } = answering(() => 1);
    const source = (type: string, fields: string): string =>
      doing(`return Model "m" { type = "${type}", model_name = "folder"${fields} }(1).output`);
    for (const type of ['bert', 'sentence_transformers', 'hf_sequence_classifier'])
      outputOf(source(type, ''), options);
    outputOf(source('bert', ', path = "other"'), options);
    outputOf(source('onnx', ', path = "p"'), options);
    expect(runs.map(({ backend }) => backend.settings)).toEqual([
      ...[{ path: 'folder' }, { path: 'folder' }, { path: 'folder' }, { path: 'other' }],
      { path: 'p', model_name: 'folder' },
    ]);
    const before = { ...options, engine: 9 };
    outputOf(source('bert', ', path = "p"'), before);
    expect(runs.at(-1)?.backend.settings).toEqual({ path: 'p', model_name: 'folder' });
    expect(() => outputOf(source('bert', ''), before)).toThrow('needs path or model');
  });

  it('has a time, tries and a queue of its own where it says so', () => {
    const { runs, options } = answering(() => 1);
    const fields = 'timeout = "2m", retries = 1, task_queue = "gpu"';
    outputOf(doing(`return Model { type = "python", name = "f", ${fields} }(1).output`), options);
    expect(runs[0]?.backend).toEqual({
      ...{ type: 'python', settings: { name: 'f' }, timeoutMs: 120_000 },
      ...{ retry: { attempts: 2 }, taskQueue: 'gpu' },
    });
  });

  it('is another model, to whoever reads the log, when its files have changed in between', () => {
    let n = 0;
    const perform: FakeOptions['perform'] = () => ({
      outputs: [1],
      cost: null,
      version: n++ < 2 ? 'sha256:a' : 'sha256:b',
    });
    const { program } = runFake(doing(`${onnx}for i = 1, 4 do m(i) end`), { perform });
    expect(program.shown).toMatchObject([
      {
        level: 'warning',
        message: expect.stringContaining('another one') as string,
        context: { model: 'mood', before: 'sha256:a', now: 'sha256:b' },
      },
    ]);
  });

  it.each([
    ['type = "onnx"', 'needs path'],
    ['type = "bert"', 'needs path or model'],
    ['type = "onnx", path = ""', "path must be a text that isn't empty"],
    ['type = "onnx", path = 3', "path must be a text that isn't empty"],
    ['type = "registry"', 'needs name'],
    ['type = "onnx", path = "p", task_queue = ""', 'task_queue must be'],
    ['type = "onnx", path = "p", batch_size = 0', 'batch_size must be'],
    ['type = "onnx", path = "p", timeout = "soon"', 'timeout'],
    ['type = "ensemble"', 'members must be a list'],
    ['type = "ensemble", members = { 1 }', 'members[1] must be'],
    ['type = "ensemble", members = { { type = "mock" } }, strategy = "best"', 'strategy must be'],
    ['type = "ab_test", arms = { { type = "mock" } }, weights = { 1, 2 }', 'weights must be'],
    ['type = "ab_test", arms = { { type = "mock" } }, weights = { 0 }', 'weights must be'],
    ['type = "http", endpoint = "http://x", method = "GET"', 'method must be'],
    ['type = "http", endpoint = "http://x", response = ""', 'response must'],
    ['type = "http", endpoint = "http://x", cost_per_call = -1', 'cost_per_call must'],
  ])('is refused as Model { %s }', (fields, problem) => {
    const { ended, performed } = runFake(`m = Model { ${fields} }\n${doing('return m(1)')}`);
    expect(ended).toMatchObject({ error: { message: expect.stringContaining(problem) as string } });
    expect(performed).toEqual([]);
  });

  it('is no model that runs on engine 7 could ask', () => {
    const source = doing(
      `${onnx}local ok, why = pcall(m, 1)\nreturn { ok, tostring(why), m.predict_batch == nil }`,
    );
    expect(outputOf(source, { engine: 7 })).toEqual([false, expect.stringContaining("don't run here"), true]);
    const mock = doing('return Model { type = "mock", value = 1 }(1)');
    expect(outputOf(mock, { engine: 7 })).toEqual({ output: 1 });
  });
});

describe('predict_batch', () => {
  it('asks about many at once, in the order of the inputs', () => {
    const { runs, options } = answering((input) => Number(input) * 2);
    const source = doing(`${onnx}local all = {}
      for i = 1, 5 do all[i] = i end
      local out = {}
      for i, each in ipairs(m.predict_batch(all)) do out[i] = each.output end
      return out`);
    expect(outputOf(source, options)).toEqual([2, 4, 6, 8, 10]);
    expect(runs.map(({ inputs }) => inputs)).toEqual([[1, 2, 3, 4, 5]]);
  });

  it('asks in parts of batch_size, and of some bytes', () => {
    const { runs, options } = answering(() => 1);
    const parts = onnx.replace('labels', 'batch_size = 2, labels');
    expect(outputOf(doing(`${parts}return #m.predict_batch({ 1, 2, 3, 4, 5 })`), options)).toBe(5);
    expect(runs.map(({ inputs }) => inputs.length)).toEqual([2, 2, 1]);
    const large = answering(() => 1);
    const texts = `local text = ("x"):rep(600000) return #m.predict_batch({ text, text, text })`;
    expect(outputOf(doing(onnx + texts), large.options)).toBe(3);
    expect(large.runs.map(({ inputs }) => inputs.length)).toEqual([1, 1, 1]);
  });

  it('asks again for what an answer had no room for', () => {
    const runs: number[] = [];
    const perform: FakeOptions['perform'] = (effect) => {
      if (effect.kind !== 'run_model') throw new Error(effect.kind);
      runs.push(effect.run.inputs.length);
      return { outputs: effect.run.inputs.slice(0, 2), cost: null, version: null };
    };
    const source = doing(`${onnx}local out = {}
      for i, each in ipairs(m.predict_batch({ 1, 2, 3, 4, 5 })) do out[i] = each.output end
      return out`);
    expect(outputOf(source, { perform })).toEqual([1, 2, 3, 4, 5]);
    expect(runs).toEqual([5, 3, 1]);
  });

  it('takes none, and nothing but a list', () => {
    const { runs, options } = answering(() => 1);
    expect(outputOf(doing(`${onnx}return #m.predict_batch({})`), options)).toBe(0);
    const wrong = `${onnx}local ok, why = pcall(m.predict_batch, { a = 1 }) return tostring(why)`;
    expect(outputOf(doing(wrong), options)).toContain('takes a list of inputs');
    expect(runs).toEqual([]);
  });

  it('checks each input, before anything is asked', () => {
    const { runs, options } = answering(() => 1);
    const checked = onnx.replace('labels', 'input = { x = "number" }, labels');
    const source = `${checked}local ok = pcall(m.predict_batch, { { x = 1 }, { y = 2 } }) return ok`;
    expect(outputOf(doing(source), options)).toBe(false);
    expect(runs).toEqual([]);
  });

  it('asks other models one after the other', () => {
    const source = `local m = Model { type = "mock", value = 7 } return m.predict_batch({ 1, 2 })[2].output`;
    const { ended, performed } = runFake(doing(source), {
      perform: () => ({ output: 7, cost: null }),
    });
    expect(ended).toMatchObject({ output: 7 });
    expect(performed).toEqual(['model_predict 0', 'model_predict 1']);
  });
});

describe('a model that is made of others', () => {
  const mocked: FakeOptions['perform'] = (effect) =>
    effect.kind === 'predict' && effect.prediction.backend.type === 'mock'
      ? { output: effect.prediction.backend.value, cost: null }
      : null;
  const members = (...values: string[]): string =>
    `{ ${values.map((value) => `{ type = "mock", value = ${value} }`).join(', ')} }`;
  const ensemble = (strategy: string, values: string): string =>
    doing(`return Model { type = "ensemble", strategy = "${strategy}", members = ${values} }(1)`);

  it.each([
    ['vote', members('"a"', '"b"', '"b"'), 'b'],
    ['vote', members('"a"', '"b"'), 'a'],
    [
      'vote',
      members('{ label = "a", confidence = 0.9 }', '{ label = "b", confidence = 0.6 }', '{ label = "b" }'),
      { label: 'b', confidence: 0.6 },
    ],
    ['average', members('1', '2', '6'), 3],
    ['average', members('1', '"x"', '2'), 1.5],
  ])('%s over %s', (strategy, values, output) => {
    const { ended } = runFake(ensemble(strategy, values), { perform: mocked });
    expect(ended).toMatchObject({ output: { output, backend_type: 'ensemble' } });
  });

  it('is one checkpoint, with those of its members in it, and tells what each of them said', () => {
    const { ended, program } = runFake(ensemble('vote', members('1', '2', '2')), { perform: mocked });
    expect(ended).toMatchObject({ output: { metadata: { votes: [1, 2, 2] } } });
    expect(program.log.entries.map(({ position }) => position).toSorted()).toEqual([
      '0',
      '0.0',
      '0.1',
      '0.2',
    ]);
  });

  it('splits by weights, the same arms in each run with the same seed, and whatever run goes on with the log', () => {
    const split = (seed: string): string =>
      doing(`local m = Model "split" { type = "ab_test", weights = { 3, 1 }, ${seed} arms = ${members('"a"', '"b"')} }
        local out = {}
        for i = 1, 40 do out[i] = m(i).output end
        return table.concat(out)`);
    const seeded = outputOf(split('seed = 7,'), { perform: mocked });
    expect(outputOf(split('seed = 7,'), { perform: mocked })).toBe(seeded);
    expect(outputOf(split('seed = 8,'), { perform: mocked })).not.toBe(seeded);
    const arms = [...(seeded as string)].filter((arm) => arm === 'a').length;
    expect(arms).toBeGreaterThan(20);
    expect(arms).toBeLessThan(40);
    const first = runFake(split(''), { perform: mocked });
    const again = runFake(split(''), { perform: mocked, carried: first.program.log.entries });
    expect(again.ended).toEqual(first.ended);
    expect(again.performed).toEqual([]);
  });

  it('never asks an arm without weight', () => {
    const source =
      doing(`local m = Model { type = "traffic_split", weights = { 0, 1 }, arms = ${members('"a"', '"b"')} }
      local answer
      for i = 1, 20 do answer = m(i) if answer.output == "a" then error("asked") end end
      return answer.metadata`);
    const output = outputOf(source, { perform: mocked });
    expect(isObject(output) && output['arm_index']).toBe(1);
  });
});
