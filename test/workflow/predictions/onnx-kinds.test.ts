import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** What a model of ONNX may take and give, in each way that it can be said. */

const modelsFolder = fileURLToPath(new URL('../../fixtures/models', import.meta.url));
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { activities: { modelsFolder } });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

async function resultOf(body: string, input: Record<string, JsonValue> = {}): Promise<JsonValue> {
  return (await server.tactus.start(procedureOf(body), input)).result();
}

/** Two values that each type holds, and no narrower one of its kind. */
const values: Record<string, JsonValue[]> = {
  float64: [0.1, -1e300],
  float16: [1.5, -65504],
  int8: [127, -128],
  uint8: [255, 0],
  int16: [32767, -32768],
  uint16: [65535, 0],
  int32: [2147483647, -2147483648],
  uint32: [4294967295, 0],
  int64: [9007199254740991, -9007199254740991],
  uint64: [9007199254740991, 0],
  bool: [true, false],
  string: ['日本', ''],
};
/** One that it can't hold. */
const strangers: Record<string, [JsonValue, string]> = {
  float16: ['1.5', 'each must be a finite number'],
  int8: [128, '128'],
  uint8: [-1, '-1'],
  int16: [0.5, '0.5'],
  uint32: [4294967296, '4294967296'],
  int64: ['9223372036854775807', 'each must be an integer from -9007199254740991'],
  uint64: [-1, '-1'],
  bool: ['true', '"true"'],
  string: [1, 'each must be a text'],
};

it('every type of value comes back as it went, one row or several, by the names of inputs', async () => {
  const outs = Object.fromEntries(Object.entries(values).map(([name, each]) => [`${name}_out`, each]));
  const twice = Object.fromEntries(Object.entries(values).map(([name, each]) => [name, [each, each]]));
  expect(
    await resultOf(
      `local m = model { type = "onnx", path = "dtypes.onnx" }
       local chosen = model { type = "onnx", path = "dtypes.onnx", outputs = { "string_out", "int8_out" } }
       local one = model { type = "onnx", path = "dtypes.onnx", outputs = { "bool_out" } }
       return { m(input.row), m(input.rows).uint32_out, chosen(input.row), one(input.row), m.predict_batch({ input.row, input.row })[2] }`,
      { row: values, rows: twice },
    ),
  ).toEqual([
    outs,
    [values['uint32'], values['uint32']],
    { string_out: values['string'], int8_out: values['int8'] },
    values['bool'],
    outs,
  ]);
});

it('a value that its type cannot hold is refused, with what it is', async () => {
  const names = Object.keys(strangers);
  const said = (await resultOf(
    `local m = model { type = "onnx", path = "dtypes.onnx" }
     local said = {}
     for i, row in ipairs(input.rows) do
       local ok, why = pcall(m, row)
       said[i] = ok and "taken" or tostring(why)
     end
     return said`,
    {
      rows: names.map((name) => ({
        ...values,
        [name]: [values[name]?.[0] ?? null, strangers[name]?.[0] ?? null],
      })),
    },
  )) as string[];
  expect(said).toEqual(names.map((name) => expect.stringContaining(strangers[name]?.[1] ?? '') as string));
  for (const [i, name] of names.entries()) expect(said[i]).toContain(name);
});

it('several inputs go by their names, in any order, and softmax is done, left out, or found out', async () => {
  const labels = 'labels = { "a", "b", "c" }';
  const logits = `type = "onnx", path = "logits.onnx", ${labels}`;
  const said = (await resultOf(
    `local two = model { type = "onnx", path = "two-inputs.onnx" }
     local product = model { type = "onnx", path = "two-inputs.onnx", outputs = { "product" } }
     local function say(fields, row)
       local one = model(fields)
       return one(row)
     end
     return {
       two({ b = { 3, 4 }, a = { 1, 2 } }),
       product({ a = { { 1, 2 }, { 5, 6 } }, b = { { 3, 4 }, { 7, 8 } } }),
       say({ ${logits} }, { 1, 2, 3 }),
       say({ ${logits} }, { 0.2, 0.5, 0.3 }),
       say({ ${logits}, softmax = true }, { 0.2, 0.5, 0.3 }),
       say({ ${logits}, softmax = false }, { 1, 2, 3 }),
     }`,
  )) as { label: string; confidence: number; scores: Record<string, number> }[];
  const soft = (row: number[]): unknown => {
    const powers = row.map(Math.exp);
    const sum = powers.reduce((a, b) => a + b, 0);
    const [a, b, c] = powers.map((each): unknown => expect.closeTo(each / sum, 5));
    return { a, b, c };
  };
  expect(said.slice(0, 2)).toEqual([
    { sum: [4, 6], product: [3, 8] },
    [
      [3, 8],
      [35, 48],
    ],
  ]);
  expect(said[2]).toMatchObject({ label: 'c', scores: soft([1, 2, 3]) });
  expect(said[3]).toMatchObject({
    label: 'b',
    scores: { a: expect.closeTo(0.2, 5) as number, b: expect.closeTo(0.5, 5) as number },
  });
  expect(said[4]).toMatchObject({ label: 'b', scores: soft([0.2, 0.5, 0.3]) });
  expect(said[5]).toMatchObject({ label: 'c', confidence: 3, scores: { a: 1, b: 2, c: 3 } });
});
