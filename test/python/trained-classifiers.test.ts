import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { askModels } from '../support/ask-models.js';
import { near } from '../support/near.js';
import { procedureOf, procedureSource } from '../support/procedure-source.js';
import { pytorchOr } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';

/** Classifiers of texts that the reference trains and registers by how a procedure declares them, asked by that procedure here. */

interface Told {
  asked: string[];
  /** What the reference says of each. */
  bayes: { label: string; confidence: number }[];
  classifier: { label: string; confidence: number }[];
  /** Of both in the registry. */
  versions: string[];
}

const python = await pytorchOr('classifiers that the reference trains');
const folder = temporaryFolder('trained-classifiers');
let server: TestServer;
let worker: TestWorker;
let models: PythonWorker;
let told: Told;

beforeAll(async () => {
  if (python === null) return;
  const script = join(import.meta.dirname, 'train_classifiers.py');
  [server] = await Promise.all([startDevServer(), python.run([script, folder])]);
  told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8')) as Told;
  [worker, models] = await Promise.all([
    startWorker(server),
    startPythonWorker(python, server, ['--models', folder, '--trust', '.']),
  ]);
}, 300_000);
afterAll(async () => {
  await models?.end();
  await worker?.stop();
  await server?.stop();
});

const registered = (name: string, more = ''): string =>
  `{ type = "registry", name = "${name}", registry_dir = "registry"${more} }`;

/** Asks a model what to do with a text, and says by which version. */
const procedure = (name: string, more = ''): string => `
Model "${name}" {
  type = "registry", name = "${name}", version = "latest", registry_dir = "registry", ${more}
  input = { text = "string" },
  output = { label = "string", confidence = "float" },
  training = {
    data = { source = "local", train = "lines.jsonl", test = "lines.jsonl", seed = 42 },
    candidates = { { name = "${name}-candidate", trainer = "any", hyperparameters = { alpha = 1.0 } } },
  },
}

Procedure {
  input = { text = field.string { required = true } },
  output = {
    label = field.string { required = true },
    confidence = field.number {},
    decision = field.string { required = true },
    version = field.string {},
  },
  function(input)
    local classifier = Model("${name}")
    local result = classifier({ text = input.text })
    local found = result.output or result
    local decision = "review"
    if found.confidence ~= nil and found.confidence >= 0.7 then decision = found.label end
    return { label = found.label, confidence = found.confidence, decision = decision, version = result.model_version }
  end
}

Mocks {
  ${name} = { conditional = { { when = { text = "a" }, returns = { label = "b", confidence = 0.9 } } } },
}

Specification([[
Feature: What to do with a text
  Scenario: A sure answer decides
    Given the procedure has started
    And the input text is "a"
    When the procedure runs
    Then the output decision should be "b"
]])`;

describe.skipIf(python === null)('classifiers that the reference has trained', () => {
  it.each([
    { name: 'reviews_nb', says: 'bayes', version: 0, more: 'trusted = true,' },
    { name: 'reviews_hf', says: 'classifier', version: 1, more: '' },
  ] as const)('$name decides as it does there', async ({ name, says, version, more }) => {
    const source = procedureSource(procedure(name, more));
    for (const [i, text] of told.asked.entries()) {
      const run = await server.tactus.start(source, { text });
      const wanted = told[says][i] as Told['bayes'][number];
      expect(await run.result()).toEqual({
        label: wanted.label,
        confidence: near(wanted.confidence),
        decision: wanted.confidence >= 0.7 ? wanted.label : 'review',
        version: told.versions[version],
      });
    }
  });

  it('are asked about many at once, and have other names for their classes', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => told.asked[i % 4] as string);
    const { said, failures } = await askModels(server, [
      ...texts.slice(0, 4).map((input) => ({ model: registered('reviews_hf'), input })),
      {
        model: registered('reviews_hf', ', labels = { "ill", "fine" }'),
        input: { text: texts[1] as string },
      },
    ]);
    expect([...failures]).toEqual([]);
    expect(said[4]).toMatchObject({ label: told.classifier[1]?.label === 'wine' ? 'fine' : 'ill' });
    const source = procedureOf(`return model ${registered('reviews_hf')}.predict_batch(input.texts)`);
    const run = await server.tactus.start(source, { texts });
    expect(await run.result()).toEqual(texts.map((_, i) => near(said[i % 4] as JsonValue)));
  });

  it('say what is wrong, and are not asked again', async () => {
    const cases: [model: string, why: string, input?: JsonValue][] = [
      [registered('pickled'), 'pickled.zip holds no weights as .safetensors'],
      [registered('cut'), "cut.zip can't be read: SafetensorError"],
      [registered('swollen'), 'swollen.zip would become more than 20 times as large'],
      [registered('unknown'), 'unknown.zip holds no config.json'],
      [registered('headless'), 'headless.zip is no whole classifier: it lacks'],
      [registered('damaged'), 'a.zip is damaged, or no archive'],
      [registered('reviews_hf'), 'expected a text', 5],
      [registered('reviews_hf', ', labels = { "a" }'), 'has 2 classes, and labels names 1'],
      [registered('reviews_hf', ', device = "nowhere"'), 'nowhere'],
    ];
    const { said, failures } = await askModels(
      server,
      cases.map(([model, , input = 'a text']) => ({ model, input })),
    );
    expect(said).toEqual(cases.map(([, why]) => expect.stringContaining(why) as string));
    expect([...failures.values()].map(({ attempts }) => attempts)).toEqual(cases.map(() => 1));
  });
});
