import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { procedureOf } from '../support/procedure-source.js';
import { modelsPythonOr } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';

/** Whole data sets of scikit-learn's: the library by itself, the worker in Python, and the worker in Node with what skl2onnx made of the same models. */

interface Told {
  name: string;
  rows: number[][];
  classes: string[];
  predict: number[];
  predict_proba: number[][];
}

const python = await modelsPythonOr('whole data sets');
const folder = join(import.meta.dirname, '../fixtures/models');
let server: TestServer;
let worker: TestWorker;
let models: PythonWorker;
let told: Told[];

beforeAll(async () => {
  if (python === null) return;
  [server, told] = await Promise.all([startDevServer(), python.script<Told[]>('whole_data.py', [folder])]);
  [worker, models] = await Promise.all([
    startWorker(server, { activities: { modelsFolder: folder } }),
    startPythonWorker(python, server, ['--models', folder, '--trust', '.']),
  ]);
});
afterAll(async () => {
  await models?.end();
  await worker?.stop();
  await server?.stop();
});

describe.skipIf(python === null)('whole data sets', () => {
  it.each(['iris-logistic', 'wine-forest'])('%s is the same in all three', async (name) => {
    const { rows, classes, predict, predict_proba: odds } = told.find((each) => each.name === name) as Told;
    const labels = `labels = { "${classes.join('", "')}" }`;
    const run = await server.tactus.start(
      procedureOf(
        `local fitted = model { type = "sklearn", path = "${name}.skops", trusted = true, ${labels} }
         local exported = model { type = "onnx", path = "${name}.onnx", ${labels} }
         return { fitted.predict_batch(input.rows), exported.predict_batch(input.rows) }`,
      ),
      { rows },
    );
    const [fitted, exported] = (await run.result()) as JsonValue[];
    const answers = odds.map((scores, i) => ({
      label: classes[predict[i] ?? -1],
      confidence: Math.max(...scores),
      scores: Object.fromEntries(classes.map((label, j) => [label, scores[j] ?? 0])),
    }));
    expect(answers.length).toBeGreaterThan(140);
    expect(fitted).toEqual(answers);
    // It computes with 32 bits.
    expect(exported).toEqual(
      answers.map(({ label, confidence, scores }) => ({
        label,
        confidence: expect.closeTo(confidence, 4) as number,
        scores: Object.fromEntries(
          Object.entries(scores).map(([key, score]) => [key, expect.closeTo(score, 4) as number]),
        ),
      })),
    );
  });
});
