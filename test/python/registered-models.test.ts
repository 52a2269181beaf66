import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { askModels, type ModelCase } from '../support/ask-models.js';
import { procedureOf } from '../support/procedure-source.js';
import { modelsPythonOr } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';

/** What the trainers of the reference have registered in folders, asked by runs here. */

const python = await modelsPythonOr('registered models');
const folder = temporaryFolder('registered-models');
let server: TestServer;
let worker: TestWorker;
let models: PythonWorker;
let said: JsonValue[];

beforeAll(async () => {
  if (python === null) return;
  [server, said] = await Promise.all([
    startDevServer(),
    python.script<JsonValue[]>('register_models.py', [folder]),
  ]);
  [worker, models] = await Promise.all([
    startWorker(server),
    startPythonWorker(python, server, ['--models', folder, '--trust', '.']),
  ]);
});
afterAll(async () => {
  await models?.end();
  await worker?.stop();
  await server?.stop();
});

const registered = (name: string, more: string): string =>
  `{ type = "registry", name = "${name}", registry_dir = "registry", ${more} }`;
const trusted = 'trusted = true';

/** What the reference says of a text, by each version. */
const told = (): { label: string; confidence: number }[] => said as { label: string; confidence: number }[];

describe.skipIf(python === null)('registered models', () => {
  it('answer by version and by tag as the reference has them answer', async () => {
    const bayes = `{ type = "naive_bayes", name = "mood", registry_dir = "registry", ${trusted} }`;
    const models = [
      registered('mood', `version = "1", ${trusted}`),
      registered('mood', `version = 2, ${trusted}`),
      registered('mood', `version = "champion", ${trusted}`),
      registered('mood', trusted),
      registered('mood', `version = "candidate/nb", ${trusted}`),
      bayes,
      `{ type = "naive_bayes", name = "any", path = "nb.joblib", ${trusted} }`,
      registered('none', 'fallback = { type = "mock", value = 5 }'),
      registered('none', `fallback = { type = "sklearn", path = "nb.joblib", ${trusted} }`),
      registered('mood', `labels = { "a", "b" }, ${trusted}`),
    ];
    const { said: found, failures } = await askModels(
      server,
      models.map((model) => ({ model, input: 'fine tea' })),
    );
    expect([...failures]).toEqual([]);
    const [first, second] = said;
    expect(found).toEqual([first, second, first, second, second, second, second, 5, second, second]);
  });

  it('classify texts, one or many, by the name of a method and by modules', async () => {
    const source = procedureOf(`
      local options = { name = "mood", registry_dir = "registry", trusted = true }
      local mood = Classify { method = "naive_bayes", name = "mood", registry_dir = "registry", trusted = true, version = "champion" }
      local later = require("tactus.text.classify.naive_bayes").NaiveBayesClassifier:new(options)
      local model = require("tactus.models").NaiveBayesModel(options)
      local ok, why = pcall(Classify, { method = "naive_bayes", name = "none", registry_dir = "registry", input = "fine tea" })
      return {
        one = mood("fine tea"),
        many = later:classify({ "fine tea", "stale tea" }),
        raw = model({ text = "fine tea" }).output,
        version = model({ text = "fine tea" }).model_version,
        why = not ok and why,
      }`);
    const run = await server.tactus.start(source, {});
    const [first, second] = told();
    const result = (await run.result()) as Record<string, JsonValue>;
    expect(result).toMatchObject({
      one: { value: first?.label, confidence: first?.confidence, raw_response: first },
      many: [{ value: second?.label, confidence: second?.confidence }, { value: 'negative' }],
      raw: second,
      version: '2',
      why: expect.stringContaining('the registry has no version latest of a model none') as string,
    });
  });

  it('follow their tags, and runs are told which version they have asked', async () => {
    const source = procedureOf(
      `local mood = Model "mood" { type = "registry", version = "moved", registry_dir = "registry", trusted = true }
      local before = mood("fine tea").model_version
      Event.wait("moved")
      return { before, mood("fine tea").model_version }`,
    );
    const tag = join(folder, 'registry', 'mood', 'tags', 'moved.json');
    await writeFile(tag, '{"version_id": "1"}');
    const run = await server.tactus.start(source, {});
    await expect.poll(async () => (await run.status()).waits.map(({ kind }) => kind)).toContain('event');
    await rm(tag);
    await writeFile(`${tag}.new`, '{"version_id": "2"}');
    await rename(`${tag}.new`, tag);
    await run.send('moved', null);
    expect(await run.result()).toEqual(['1', '2']);
  });

  it('say what is wrong', async () => {
    const cases: [string, string][] = [
      [registered('none', ''), 'the registry has no version latest of a model none'],
      [registered('mood', 'version = "9"'), 'the registry has no version 9 of a model mood'],
      [registered('mood', `version = "3", ${trusted}`), "mood/versions/3.json of the registry can't be read"],
      [registered('../registry/mood', ''), "must lead to a file below the worker's folder of models"],
      [registered('away', ''), 'is kept at s3://models/away.joblib: only files are read'],
      [registered('far', ''), "/etc/hostname leads out of the worker's folder of models"],
      [registered('elsewhere', ''), 'is of the type "http"'],
      [
        registered('none', 'fallback = { type = "http", endpoint = "http://localhost:1" }'),
        'needs another worker',
      ],
      [`{ type = "naive_bayes", name = "any", path = "iris.joblib", ${trusted} }`, 'is no model of texts'],
    ];
    const asked = cases.map(([model]): ModelCase => ({ model, input: 'fine tea' }));
    const { said: found, failures } = await askModels(server, asked);
    expect(found).toEqual(cases.map(([, words]) => expect.stringContaining(words) as string));
    expect([...failures.values()].map(({ attempts }) => attempts)).toEqual(cases.map(() => 1));
  });
});
