import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { env, pipeline } from '@huggingface/transformers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** A worker's models give what their libraries give that are asked directly, here: the same file, the same input, the same numbers to the last digit. */

const folder = fileURLToPath(new URL('../../fixtures/models', import.meta.url));
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { activities: { modelsFolder: folder } });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

/** What models of these fields give for lists of inputs, asked in one run. */
async function outputsOf(asked: readonly { fields: string; inputs: JsonValue }[]): Promise<JsonValue[]> {
  const calls = asked.map(
    ({ fields }, i) => `model "m${i + 1}" { ${fields} }.predict_batch(input.all[${i + 1}].inputs)`,
  );
  const run = await server.tactus.start(procedureOf(`return { ${calls.join(', ')} }`), {
    all: asked.map(({ inputs }) => ({ inputs })),
  });
  return (await run.result()) as JsonValue[];
}

const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;

describe('onnxruntime-node gives the same', () => {
  interface Known {
    inputs: number[][];
    classes: string[];
  }
  const known = readJson<Record<string, Known>>('expected.json');

  async function direct(path: string, rows: readonly number[][]): Promise<InferenceSession.ReturnType> {
    const session = await InferenceSession.create(join(folder, path));
    const [name = ''] = session.inputNames;
    const width = rows[0]?.length ?? 0;
    return session.run({ [name]: new Tensor('float32', rows.flat(), [rows.length, width]) });
  }
  /** Numbers of a tensor in rows. */
  const rowsOf = (tensor: Tensor | undefined): number[][] => {
    const [count = 0, width = 0] = tensor?.dims ?? [];
    const data = tensor?.data as Float32Array;
    return Array.from({ length: count }, (_, i) => [...data.slice(i * width, (i + 1) * width)]);
  };

  it('of classifiers, by their labels', async () => {
    const names = ['iris-logistic.onnx', 'wine-forest.onnx', 'cancer-network.onnx'];
    const said = await outputsOf(
      names.map((path) => ({
        fields: `type = "onnx", path = "${path}", labels = { "${known[path]?.classes.join('", "')}" }`,
        inputs: known[path]?.inputs ?? [],
      })),
    );
    for (const [i, path] of names.entries()) {
      const { inputs, classes } = known[path] ?? { inputs: [], classes: [] };
      const { label, probabilities } = await direct(path, inputs);
      const labels = [...(label?.data as BigInt64Array)].map((each) => classes[Number(each)]);
      const wanted = rowsOf(probabilities).map((scores, row) => ({
        label: labels[row],
        confidence: Math.max(...scores),
        scores: Object.fromEntries(classes.map((name, j) => [name, scores[j]])),
      }));
      expect(wanted).toHaveLength(6);
      expect(said[i]).toEqual(wanted);
    }
  });

  it('of numbers, each row asked about alone as well', async () => {
    const path = 'diabetes-ridge.onnx';
    const { inputs } = known[path] ?? { inputs: [] };
    const fields = `type = "onnx", path = "${path}"`;
    const [together, ...alone] = await outputsOf([
      { fields, inputs },
      ...inputs.map((row) => ({ fields, inputs: [row] })),
    ]);
    const { variable } = await direct(path, inputs);
    expect(together).toEqual(rowsOf(variable).flat());
    for (const [i, row] of inputs.entries())
      expect(alone[i]).toEqual(rowsOf((await direct(path, [row]))['variable']).flat());
  });

  it('as probabilities, by softmax or not as the model says', async () => {
    const rows = [
      [0.1, 0.2, 0.7],
      [1, 2, 3],
    ];
    const labelled = 'type = "onnx", path = "logits.onnx", labels = { "a", "b", "c" }';
    const one = 'type = "onnx", path = "logit.onnx", labels = { "no", "yes" }';
    const said = await outputsOf([
      { fields: labelled, inputs: rows },
      { fields: `${labelled}, softmax = true`, inputs: rows },
      { fields: `${labelled}, softmax = false`, inputs: rows },
      ...['', ', softmax = true', ', softmax = false'].map((how) => ({
        fields: one + how,
        inputs: [[0.1, 0.1, 0.1]],
      })),
    ]);
    const { y } = await direct('logits.onnx', rows);
    const [odds = [], logits = []] = rowsOf(y);
    const soft = (values: number[]): number[] => {
      const powers = values.map((value) => Math.exp(value - Math.max(...values)));
      return powers.map((power) => power / powers.reduce((sum, each) => sum + each));
    };
    const told = (scores: number[]): JsonValue => {
      const [a = 0, b = 0, c = 0] = scores;
      return { label: 'c', confidence: c, scores: { a, b, c } };
    };
    expect(said.slice(0, 3)).toEqual([
      [told(odds), told(soft(logits))],
      [told(soft(odds)), told(soft(logits))],
      [told(odds), told(logits)],
    ]);
    const [[sum = 0] = []] = rowsOf((await direct('logit.onnx', [[0.1, 0.1, 0.1]]))['y']);
    const two = (yes: number): JsonValue => ({
      ...(yes > 0.5 ? { label: 'yes', confidence: yes } : { label: 'no', confidence: 1 - yes }),
      scores: { no: 1 - yes, yes },
    });
    const logistic = 1 / (1 + Math.exp(-sum));
    expect(said.slice(3)).toEqual([[two(sum)], [two(logistic)], [two(sum)]]);
  });
});

describe('inputs and outputs of models of ONNX', () => {
  it('are of every type, as numbers, booleans and texts', async () => {
    const whole = (most: number, least: number): JsonValue => [least, most];
    const inputs: Record<string, JsonValue> = {
      float64: [Math.PI, -1e300],
      float16: [0.5, -65_504],
      int8: whole(127, -128),
      uint8: whole(255, 0),
      int16: whole(32_767, -32_768),
      uint16: whole(65_535, 0),
      int32: whole(2 ** 31 - 1, -(2 ** 31)),
      uint32: whole(2 ** 32 - 1, 0),
      int64: whole(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
      uint64: whole(Number.MAX_SAFE_INTEGER, 0),
      bool: [true, false],
      string: ['Größe', '東京'],
    };
    const outputs = Object.fromEntries(Object.entries(inputs).map(([name, each]) => [`${name}_out`, each]));
    const batch = Object.fromEntries(Object.entries(inputs).map(([name, each]) => [name, [each, each]]));
    const fields = 'type = "onnx", path = "dtypes.onnx"';
    expect(
      await outputsOf([
        // Rows of two, and a batch of the procedure's own beside them.
        { fields, inputs: [inputs, inputs, batch] },
        { fields: `${fields}, outputs = { "string_out", "int64_out" }`, inputs: [inputs] },
        { fields: `${fields}, outputs = { "bool_out" }`, inputs: [inputs, inputs] },
        { fields: 'type = "onnx", path = "logits.onnx"', inputs: [[0.1, -1e38, 16_777_217]] },
      ]),
    ).toEqual([
      [
        outputs,
        outputs,
        Object.fromEntries(Object.entries(outputs).map(([name, each]) => [name, [each, each]])),
      ],
      [{ string_out: inputs['string'], int64_out: inputs['int64'] }],
      [inputs['bool'], inputs['bool']],
      // What 32 bits have room for.
      [[Math.fround(0.1), Math.fround(-1e38), 16_777_216]],
    ]);
  });

  it('that have no room in a type are refused with the type', async () => {
    const cases: [name: string, values: JsonValue, why: string][] = [
      ['float16', [1, 65_505], 'must be of float16, and its value 2 is 65505: each must be a finite number'],
      ['int8', [128, 0], 'must be of int8, and its value 1 is 128: each must be an integer from -128 to 127'],
      ['uint8', [0, -1], 'an integer from 0 to 255'],
      ['int64', [2 ** 53, 0], 'an integer from -9007199254740991 to 9007199254740991'],
      ['int32', [0.5, 0], 'its value 1 is 0.5'],
      ['bool', [1, 0], 'each must be true or false'],
      ['string', [1, 'a'], 'each must be a text'],
    ];
    const right = {
      ...Object.fromEntries(
        ['float64', 'float16', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64'].map(
          (name) => [name, [0, 1]],
        ),
      ),
      ...{ bool: [true, true], string: ['a', 'b'] },
    };
    const run = await server.tactus.start(
      procedureOf(
        `local m, said = model { type = "onnx", path = "dtypes.onnx" }, {}
         for i, each in ipairs(input.all) do said[i] = tostring(select(2, pcall(m, each))) end
         return said`,
      ),
      { all: cases.map(([name, values]) => ({ ...right, [name]: values })) },
    );
    expect(await run.result()).toEqual(cases.map(([, , why]) => expect.stringContaining(why) as string));
  });

  it('are several by their names, and one for many where the model gives one', async () => {
    const two = 'type = "onnx", path = "two-inputs.onnx"';
    const inputs = [
      { a: [1, 2], b: [3, 4] },
      { a: [5, 6], b: [7, 8] },
    ];
    expect(
      await outputsOf([
        { fields: two, inputs },
        { fields: `${two}, outputs = { "product" }`, inputs },
        { fields: `${two}, inputs = { a = { shape = { 1, 2 } } }`, inputs },
        {
          fields: 'type = "onnx", path = "sum-of-all.onnx"',
          inputs: [
            [1, 2, 3],
            [4, 5, 6],
            [
              [1, 2, 3],
              [4, 5, 6],
            ],
          ],
        },
      ]),
    ).toEqual([
      [
        { sum: [4, 6], product: [3, 8] },
        { sum: [12, 14], product: [35, 48] },
      ],
      [
        [3, 8],
        [35, 48],
      ],
      [
        { sum: [4, 6], product: [3, 8] },
        { sum: [12, 14], product: [35, 48] },
      ],
      [6, 15, 21],
    ]);
  });
});

it('transformers.js gives the same of texts', async () => {
  const { texts } = readJson<{ texts: string[] }>('expected-texts.json');
  env.allowRemoteModels = false;
  env.localModelPath = folder;
  const options = { dtype: 'fp32', device: 'cpu', local_files_only: true } as const;
  // What is cut, transformers.js cuts otherwise than those whom models learned from: it is compared with Python.
  const short = texts.slice(0, 3);
  const [moods, vectors, entities] = await outputsOf([
    { fields: 'type = "bert", path = "mood"', inputs: texts },
    { fields: 'type = "sentence_transformers", path = "sentences", pooling = "mean"', inputs: short },
    { fields: 'type = "bert", path = "entities", task = "token-classification"', inputs: texts },
  ]);

  const mood = await pipeline('text-classification', 'mood', options);
  const scored = (await mood(texts, { top_k: 9 })) as unknown as { label: string; score: number }[][];
  expect(scored).toHaveLength(5);
  expect(moods).toEqual(
    scored.map((scores) => ({
      label: scores[0]?.label,
      confidence: scores[0]?.score,
      scores: Object.fromEntries(scores.map(({ label, score }) => [label, score])),
    })),
  );

  const embed = await pipeline('feature-extraction', 'sentences', options);
  expect(vectors).toEqual((await embed(short, { pooling: 'mean', normalize: true })).tolist());

  const tag = await pipeline('token-classification', 'entities', options);
  // An unknown word, which we give as [UNK], is left out there.
  const known = (entities as { word: string }[][]).map((found) =>
    found.filter(({ word }) => word !== '[UNK]'),
  );
  expect(known).toEqual(await tag(texts));
});
