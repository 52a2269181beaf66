import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { near } from '../support/near.js';
import { procedureOf } from '../support/procedure-source.js';
import { pytorchOr } from '../support/python.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { askedOfTexts, textModelCases } from '../support/text-model-cases.js';

/** Small BERTs that transformers makes here, asks by itself and exports, and the worker in Node. */

const python = await pytorchOr('models that transformers makes');
const folder = temporaryFolder('text-models');
const produce = join(import.meta.dirname, '../fixtures/models/produce_texts.py');
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  if (python === null) return;
  [server] = await Promise.all([startDevServer(), python.run([produce, folder])]);
  worker = await startWorker(server, { activities: { modelsFolder: folder } });
}, 300_000);
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

it.skipIf(python === null)('what transformers makes says the same here', async () => {
  const { texts, cases } = textModelCases(folder);
  for (const [fields, wanted] of cases) {
    const run = await server.tactus.start(procedureOf(askedOfTexts(fields)), { texts });
    expect(wanted).toHaveLength(5);
    expect(await run.result(), fields).toEqual(near(wanted));
  }
});
