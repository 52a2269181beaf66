import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { askModels, type ModelCase } from '../support/ask-models.js';
import { historiesOf } from '../support/histories.js';
import { near } from '../support/near.js';
import { procedureOf } from '../support/procedure-source.js';
import { pytorchOr } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';

/** Models of PyTorch in a worker in Python. */

const python = await pytorchOr('models of PyTorch');
const folder = temporaryFolder('torch-models');
let server: TestServer;
let worker: TestWorker;
let models: PythonWorker;
let made: Made;

interface Made extends Record<'row' | 'logits' | 'label' | 'lookup' | 'rows', JsonValue> {
  species: string[];
  /** Of each row: its class, and what the network says. */
  right: string[];
  said: { label: string; confidence: number; scores: Record<string, number> }[];
}

beforeAll(async () => {
  if (python === null) return;
  [server, made] = await Promise.all([
    startDevServer(),
    python.script<Made>('make_torch_models.py', [folder]),
  ]);
  await mkdir(join(folder, 'known'));
  for (const name of ['exported.pt2', 'script.pt', 'whole.pt', 'lookup.pt2', 'cut.pt2', 'weights.pt'])
    await copyFile(join(folder, name), join(folder, 'known', name));
  const args = ['--models', folder, '--module', 'networks', '--trust', 'known'];
  [worker, models] = await Promise.all([
    startWorker(server, { activities: { modelsFolder: folder } }),
    startPythonWorker(python, server, args, { cwd: import.meta.dirname, env: { MARKS: folder } }),
  ]);
}, 300_000);
afterAll(async () => {
  await models?.end();
  await worker?.stop();
  await server?.stop();
});

const torch = (path: string, more = ''): string => `{ type = "pytorch", path = "${path}", ${more} }`;
const trusted = 'trusted = true';
const labels = 'labels = { "a", "b", "c" }';

describe.skipIf(python === null)('models of PyTorch', () => {
  it('answer as the library does', { timeout: 300_000 }, async () => {
    const { row, logits, label, lookup } = made;
    const ids = [1, 2];
    const weights = 'class = "networks:Classifier"';
    const cases: [ModelCase, JsonValue][] = [
      [{ model: torch('weights.pt', weights), input: row }, logits],
      [{ model: torch('weights.pt', `${weights}, ${labels}`), input: row }, label],
      [{ model: torch('known/exported.pt2'), input: row }, logits],
      [{ model: torch('known/exported.pt2', labels), input: row }, label],
      [{ model: torch('known/script.pt'), input: row }, logits],
      [{ model: torch('known/whole.pt'), input: row }, logits],
      [{ model: torch('lookup.pt', 'class = "networks:Lookup"'), input: ids }, lookup],
      [{ model: torch('known/lookup.pt2'), input: ids }, lookup],
      [{ model: torch('counter.pt', 'class = "networks:Counter"'), input: ids }, 2],
      [{ model: torch('counter.pt', `class = "networks:Counter", ${labels}`), input: ids }, { label: 'c' }],
    ];
    const { said, failures } = await askModels(
      server,
      cases.map(([each]) => each),
    );
    expect([...failures]).toEqual([]);
    expect(said).toMatchObject(cases.map(([, expected]) => expected));
  });

  it('say the same of a whole data set in every form, and in ONNX in the worker in Node', async () => {
    const { rows, species, right, said } = made;
    const named = `labels = { "${species.join('", "')}" }`;
    const forms = [
      torch('weights.pt', `class = "networks:Classifier", ${named}`),
      ...['exported.pt2', 'script.pt', 'whole.pt'].map((path) => torch(`known/${path}`, named)),
    ];
    const asked = forms.map((form, i) => `model "m${i}" ${form}.predict_batch(input.tensors)`);
    const source = procedureOf(
      `local onnx = model { type = "onnx", path = "iris.onnx", ${named} }
       return { onnx.predict_batch(input.rows), ${asked.join(', ')} }`,
    );
    const tensors = (rows as number[][]).map((row) => [row]);
    const run = await server.tactus.start(source, { rows, tensors });
    const [onnx, ...torches] = (await run.result()) as JsonValue[];
    expect(torches).toEqual(torches.map(() => said));
    expect(onnx).toEqual(near(said));
    // It has learned something.
    expect(said.filter(({ label }, i) => label === right[i]).length).toBeGreaterThan(140);
  });

  it('are asked once for each input, however many answers it takes', async () => {
    const wide = torch('wide.pt', 'class = "networks:Wide"');
    const source = procedureOf(
      `local inputs, sizes = {}, {}
       for i = 1, 50 do inputs[i] = { i } end
       for i, output in ipairs(model ${wide}.predict_batch(inputs)) do sizes[i] = #output end
       return sizes`,
    );
    const run = await server.tactus.start(source, {});
    expect(await run.result()).toEqual(Array.from({ length: 50 }, () => 5_000));
    const answers = activityAttempts(await historiesOf(server.client, run.runId)).size;
    expect(answers).toBeGreaterThan(2);
    // And once more for the first that an answer has no room for.
    const asked = (await readFile(join(folder, 'asked'), 'utf8')).length;
    expect(asked).toBe(50 + answers - 1);
  });

  it('say what is wrong, and are not asked again', { timeout: 300_000 }, async () => {
    const { row } = made;
    const weights = 'class = "networks:Classifier"';
    const cases: [ModelCase, string][] = [
      [{ model: torch('exported.pt2'), input: row }, 'exported.pt2 is a program that torch.export wrote'],
      [{ model: torch('script.pt'), input: row }, 'script.pt is a program in TorchScript'],
      [
        { model: torch('whole.pt'), input: row },
        'whole.pt is a pickled model, and a pickle can run any code',
      ],
      [{ model: torch('hostile.pt', trusted), input: row }, 'hostile.pt is a pickled model'],
      [{ model: torch('hostile.pt', weights), input: row }, "hostile.pt can't be read: UnpicklingError"],
      [{ model: torch('known/cut.pt2'), input: row }, "cut.pt2 can't be read"],
      [{ model: torch('cut.pt', weights), input: row }, "cut.pt can't be read"],
      [{ model: torch('known/weights.pt'), input: row }, 'weights need class = "module:Class"'],
      [{ model: torch('lookup.pt', weights), input: row }, "lookup.pt doesn't fit networks:Classifier"],
      [{ model: torch('weights.pt', 'class = "os:system"'), input: row }, 'there are: networks'],
      [
        { model: torch('weights.pt', 'class = "networks:NO_CLASS"'), input: row },
        'no class of a PyTorch module',
      ],
      [{ model: torch('weights.pt', weights), input: [[1, 2]] }, "the input of the shape [1, 2] doesn't fit"],
      [{ model: torch('weights.pt', weights), input: 'text' }, 'expected a number, or lists of numbers'],
      [
        { model: torch('weights.pt', `${weights}, labels = { "a" }`), input: row },
        'has 3 classes, and labels names 1',
      ],
      [{ model: torch('weights.pt', `${weights}, device = "nowhere"`), input: row }, 'nowhere'],
    ];
    const { said, failures } = await askModels(
      server,
      cases.map(([each]) => each),
    );
    expect(said).toEqual(cases.map(([, words]) => expect.stringContaining(words) as string));
    expect([...failures.values()].map(({ attempts }) => attempts)).toEqual(cases.map(() => 1));
    expect(existsSync(join(folder, 'mark'))).toBe(false);
  });
});
