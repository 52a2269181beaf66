import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewRun } from '../../src/client/runs/view-run.js';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { historiesOf } from '../support/histories.js';
import { askModels, type ModelCase } from '../support/ask-models.js';
import { codeBlocks } from '../support/code-blocks.js';
import { isAlive } from '../support/is-alive.js';
import { procedureOf, procedureSource } from '../support/procedure-source.js';
import { modelsPythonOr, pythonOr, type Python } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** A worker in TypeScript goes on with runs, and one in Python has the models that they ask. */

const found = await modelsPythonOr('a worker in Python');
/** Without scikit-learn. */
const bare = await pythonOr('a worker in Python');
const folder = temporaryFolder('python-models');
const marks = temporaryFolder('python-marks');
let python: Python;
let server: TestServer;
let worker: TestWorker;
let models: PythonWorker;
/** What whoever runs the worker knows the makers of. */
let trusts: string[] = [];
let trained: Record<string, JsonValue>;

const startModels = (): Promise<PythonWorker> =>
  startPythonWorker(
    python,
    server,
    [...['--models', folder, '--module', 'shop', '--grace', '1'], ...trusts],
    { cwd: import.meta.dirname },
  );

beforeAll(async () => {
  if (found === null) return;
  python = found.with({ MARKS: marks, SHOP_TOKEN: 'very-secret-value' });
  [server, trained] = await Promise.all([
    startDevServer(),
    python.script<Record<string, JsonValue>>('train_models.py', [folder]),
  ]);
  await mkdir(join(folder, 'known'));
  for (const name of ['iris.joblib', 'forest.skops', 'bayes.joblib', 'cut.joblib'])
    await copyFile(join(folder, name), join(folder, 'known', name));
  const margin = createHash('sha256').update(await readFile(join(folder, 'margin.pkl')));
  trusts = ['--trust', 'known', '--trust', `sha256:${margin.digest('hex')}`];
  await symlink('/etc/hostname', join(folder, 'out.skops'));
  await writeFile(join(folder, 'model.onnx'), 'x');
  [worker, models] = await Promise.all([startWorker(server), startModels()]);
});
afterAll(async () => {
  await models?.end();
  await worker?.stop();
  await server?.stop();
});

const sklearn = (path: string, more = ''): string => `{ type = "sklearn", path = "${path}", ${more} }`;
const shop = (name: string, more = ''): string => `{ type = "python", name = "${name}", ${more} }`;
const trusted = 'trusted = true';

describe.skipIf(found === null)('a worker in Python', () => {
  it('answers as the library does that it asks', async () => {
    const { rows, asked, classes, ...says } = trained as Record<string, JsonValue[]>;
    const row = rows?.[5] ?? null;
    const text = asked?.[1] ?? null;
    const named = `labels = { ${(classes as string[]).map((name) => `"${name}"`).join(', ')} }`;
    const [a, b, c, d] = rows?.[0] as JsonValue[];
    const cases: [ModelCase, JsonValue | undefined][] = [
      [{ model: sklearn('iris.skops'), input: row }, says['iris']?.[5]],
      [{ model: sklearn('iris.skops', named), input: row }, says['iris_named']?.[5]],
      [{ model: sklearn('known/iris.joblib'), input: row }, says['iris']?.[5]],
      [{ model: sklearn('known/forest.skops'), input: row }, says['forest']?.[5]],
      [{ model: sklearn('./ridge.skops'), input: says['patient'] ?? null }, says['ridge']],
      [{ model: sklearn('margin.pkl'), input: row }, says['margin']?.[5]],
      [{ model: sklearn('known/bayes.joblib'), input: text }, says['bayes']?.[1]],
      [{ model: sklearn('known/bayes.joblib'), input: { text } }, says['bayes']?.[1]],
      [{ model: sklearn('reader.skops'), input: text }, says['reader']?.[1]],
      [{ model: sklearn('reader.skops'), input: { input: text } }, says['reader']?.[1]],
      [
        { model: sklearn('named.skops'), input: { d: d ?? 0, c: c ?? 0, b: b ?? 0, a: a ?? 0, e: 9 } },
        says['named'],
      ],
      [{ model: sklearn('named.skops'), input: rows?.[0] ?? null }, says['named']],
      [{ model: shop('double'), input: { n: 21 } }, { doubled: 42 }],
      [{ model: shop('all'), input: 4 }, 40],
    ];
    const { said, failures } = await askModels(
      server,
      cases.map(([each]) => each),
    );
    expect([...failures]).toEqual([]);
    expect(said).toEqual(cases.map(([, expected]) => expected));
  });

  it('answers a thousand at once, with the version of what was asked', async () => {
    const rows = trained['rows'] as JsonValue[];
    const source = procedureOf(
      `local iris = Model "iris" { type = "sklearn", path = "iris.skops" }
      local inputs = {}
      for i = 1, 1000 do inputs[i] = input.rows[(i - 1) % #input.rows + 1] end
      local outputs = iris.predict_batch(inputs)
      local parts = Model "large" { type = "python" }.predict_batch({ 1, 2, 3, 4, 5 })
      local double = Model "double" { type = "python" }({ n = 1 })
      return { outputs, outputs[1].model_version, #parts, #parts[5].output, double.model_version }`,
    );
    const run = await server.tactus.start(source, { rows });
    const [outputs, version, ...rest] = (await run.result()) as [JsonObject[], string, ...JsonValue[]];
    const says = trained['iris'] as JsonValue[];
    expect(outputs.map(({ output }) => output)).toEqual(outputs.map((_, i) => says[i % says.length]));
    expect(outputs).toHaveLength(1_000);
    expect(version).toBe(`sha256:${await sha256(join(folder, 'iris.skops'))}`);
    expect(rest).toEqual([5, 400_000, '7']);
    // One for the thousand, two for what one answer has no room for, one for the last.
    expect(activityAttempts(await historiesOf(server.client, run.runId)).size).toBe(4);
  });

  it('is asked by the program of the page about the model that the page trains', async () => {
    const empty = temporaryFolder('python-models-page');
    const page = 'docs/prediction-models.md';
    await python.run(['-c', codeBlocks(page, 'python')[0] ?? ''], { cwd: empty });
    await copyFile(join(empty, 'models', 'iris.skops'), join(folder, 'page.skops'));
    const asking = codeBlocks(page, 'lua').find((text) => text.includes('iris.skops')) ?? '';
    const run = await server.tactus.start(procedureSource(asking.replace('iris.skops', 'page.skops')), {});
    expect(await run.result()).toBe('virginica');
  });

  it('says what is wrong, and is not asked again about what stays wrong', async () => {
    const row = [1, 2, 3, 4];
    const cases: [ModelCase, string, string][] = [
      [
        { model: sklearn('none.skops'), input: row },
        'file_failed',
        "none.skops doesn't exist (folder of models: ",
      ],
      [{ model: sklearn('../x.skops'), input: row }, 'file_failed', 'must lead to a file below'],
      [
        { model: sklearn(join(folder, 'iris.skops')), input: row },
        'file_failed',
        'must lead to a file below',
      ],
      [
        { model: sklearn('out.skops'), input: row },
        'file_failed',
        "out.skops leads out of the worker's folder",
      ],
      [{ model: sklearn('.'), input: row }, 'file_failed', "isn't a file"],
      [{ model: sklearn('model.onnx'), input: row }, 'file_failed', 'model.onnx is no .skops, .joblib'],
      [{ model: sklearn('cut.skops'), input: row }, 'file_failed', 'cut.skops is damaged'],
      [{ model: sklearn('known/cut.joblib'), input: row }, 'file_failed', "cut.joblib can't be read"],
      [{ model: sklearn('table.skops'), input: row }, 'file_failed', 'holds a dict, which has no predict'],
      [
        { model: sklearn('forest.skops'), input: row },
        'file_failed',
        "can't vouch for: sklearn.tree._tree.Tree; if you know who",
      ],
      [
        { model: sklearn('iris.joblib'), input: row },
        'file_failed',
        'a pickle can run any code as it is read',
      ],
      // The procedure's own word counts for nothing: it may have written the file.
      [
        { model: sklearn('hostile.pkl', trusted), input: row },
        'file_failed',
        'start the worker with --trust sha256:',
      ],
      [{ model: sklearn('known/../hostile.pkl', trusted), input: row }, 'file_failed', 'must lead to a file'],
      [{ model: sklearn('hostile.skops', trusted), input: row }, 'file_failed', 'no file of skops'],
      [{ model: sklearn('iris.skops'), input: [1, 2] }, 'predict_failed', 'expected 4 features, found 2'],
      [{ model: sklearn('iris.skops'), input: 'a' }, 'predict_failed', 'expected 4 features, found a text'],
      [{ model: sklearn('iris.skops'), input: { a: 1 } }, 'predict_failed', 'expected a text, found a table'],
      [{ model: sklearn('iris.skops'), input: [1, 2, 3, [4]] }, 'predict_failed', 'found a list in it'],
      [
        { model: sklearn('iris.skops'), input: [1, 2, 3, 'x'] },
        'predict_failed',
        'ValueError: could not convert',
      ],
      [
        { model: sklearn('iris.skops', 'labels = { "a" }'), input: row },
        'predict_failed',
        'has 3 classes, and labels names 1',
      ],
      [
        { model: sklearn('named.skops'), input: { a: 1, c: 1 } },
        'predict_failed',
        'lacks the features b, d; found',
      ],
      [{ model: sklearn('known/bayes.joblib'), input: row }, 'predict_failed', 'expected a text'],
      [{ model: sklearn('reader.skops'), input: [1] }, 'predict_failed', 'AttributeError'],
      [
        { model: shop('nobody'), input: 1 },
        'predict_failed',
        'no function nobody in this worker; there are: all, ',
      ],
      [{ model: shop('short'), input: 1 }, 'predict_failed', 'gave 0 outputs for 1 inputs'],
      [{ model: shop('nan'), input: 1 }, 'predict_failed', "gave nan, which JSON can't say"],
      [{ model: shop('object'), input: 1 }, 'predict_failed', "gave a object, which isn't JSON"],
      [{ model: shop('broken'), input: 1 }, 'predict_failed', "KeyError: 'price'"],
      [{ model: shop('key'), input: 1 }, 'predict_failed', 'ValueError: no answer for [redacted]'],
      [{ model: shop('huge-text'), input: 1 }, 'payload_too_large', 'the output is 1.8 MB; at most 1.5 MB'],
      [{ model: shop('huge'), input: 1 }, 'payload_too_large', 'the output is 1.6 MB; at most 1.5 MB'],
      [
        { model: '{ type = "onnx", path = "m", task_queue = "tactus-python" }', input: 1 },
        'predict_failed',
        'which is in Python',
      ],
    ];
    const { said, failures } = await askModels(
      server,
      cases.map(([each]) => each),
    );
    const found = said.map((message) => {
      const [, failure] = [...failures].find(([text]) => text === message) ?? [];
      return { message, ...failure };
    });
    expect(found).toEqual(
      cases.map(([, code, words]) => ({
        message: expect.stringContaining(words) as string,
        ...{ code, attempts: 1 },
      })),
    );
    expect(existsSync(join(folder, 'mark'))).toBe(false);
    expect(models.process.exitCode).toBeNull();
    expect((await askModels(server, [{ model: shop('all'), input: 1 }])).said).toEqual([10]);
  });

  it('is asked again about what may go better', async () => {
    const { said } = await askModels(server, [
      { model: shop('flaky', 'retry = { delay = 0.1 }'), input: 'flaky' },
      { model: shop('flaky', 'retries = 0'), input: 'flaky-once' },
      { model: shop('crash', 'retry = { delay = 0.1 }'), input: 'crashed' },
      { model: shop('exits', 'retries = 0'), input: 1 },
      { model: shop('slow', 'timeout = 0.3, retries = 0'), input: 'never' },
      { model: shop('all'), input: 1 },
    ]);
    expect(said).toEqual([
      2,
      expect.stringContaining('OSError: no answer yet'),
      'lived',
      expect.stringContaining('SystemExit: 3'),
      expect.stringContaining('gave no answer within 300 ms'),
      10,
    ]);
  });

  it('reads a file anew that has changed', async () => {
    const model = sklearn('changing.skops');
    await copyFile(join(folder, 'ridge.skops'), join(folder, 'changing.skops'));
    const input = trained['patient'] ?? null;
    expect((await askModels(server, [{ model, input }])).said).toEqual([trained['ridge']]);
    await copyFile(join(folder, 'iris.skops'), join(folder, 'changing.skops'));
    const [said] = (await askModels(server, [{ model, input: (trained['rows'] as JsonValue[])[5] ?? null }]))
      .said;
    expect(said).toEqual((trained['iris'] as JsonValue[])[5]);
  });

  it('is waited for while it is down', async () => {
    expect(await models.end()).toBe(0);
    const run = await server.tactus.start(procedureOf(`return model ${shop('all')} (3)`), {});
    await waitUntil(async () => (await viewRun(run)).unserved !== undefined);
    expect(await viewRun(run)).toMatchObject({ unserved: [{ task_queue: 'tactus-python' }] });
    models = await startModels();
    expect(await run.result()).toBe(30);
    expect(await viewRun(run)).not.toHaveProperty('unserved');
  });

  it('gives a prediction back that has not ended when it is told to end', async () => {
    const source = procedureOf(`return model ${shop('slow', 'retry = { delay = 0.1 }')} ("stopped")`);
    const run = await server.tactus.start(source, {});
    await waitUntil(() => Promise.resolve(existsSync(join(marks, 'stopped'))));
    expect(await models.end()).toBe(0);
    await writeFile(join(marks, 'stopped-go'), '');
    models = await startModels();
    expect(await run.result()).toBe('xx');
  });

  it('has one prediction recorded where it is killed at it, and the process with its models ends', async () => {
    const limits = { heartbeatMs: 1_000 };
    const source = procedureOf(`return model ${shop('slow', 'retry = { delay = 0.1 }')} ("killed")`);
    const run = await server.tactus.start(source, {}, { limits });
    await waitUntil(() => Promise.resolve(existsSync(join(marks, 'killed'))));
    const child = await childOf(models);
    expect(child).toBeGreaterThan(0);
    await models.end('SIGKILL');
    await writeFile(join(marks, 'killed-go'), '');
    models = await startModels();
    expect(await run.result()).toBe('xx');
    await waitUntil(() => Promise.resolve(!isAlive(child)));
    const histories = await historiesOf(server.client, run.runId);
    expect([...activityAttempts(histories).values()]).toEqual([2]);
    expect(
      histories
        .flatMap(({ events }) => events ?? [])
        .filter((event) => event.activityTaskCompletedEventAttributes),
    ).toHaveLength(1);
  });

  it('ends the process that is at a prediction which is cancelled', async () => {
    const limits = { heartbeatMs: 1_000 };
    const run = await server.tactus.start(
      procedureOf(`return model ${shop('slow')} ("left")`),
      {},
      { limits },
    );
    await waitUntil(() => Promise.resolve(existsSync(join(marks, 'left'))));
    const child = await childOf(models);
    await run.cancel();
    await waitUntil(() => Promise.resolve(!isAlive(child)));
    expect((await askModels(server, [{ model: shop('all'), input: 1 }])).said).toEqual([10]);
  });

  it('says which package is missing, and how it is had', async () => {
    const worker = await startPythonWorker(bare as Python, server, [
      '--task-queue',
      'bare',
      '--models',
      folder,
    ]);
    const versions = join(folder, 'mood', 'versions');
    await mkdir(versions, { recursive: true });
    await writeFile(
      join(versions, '1.json'),
      JSON.stringify({ backend_type: 'hf_sequence_classifier', artifact_path: 'iris.skops' }),
    );
    try {
      const onBare = 'task_queue = "bare"';
      const { said, failures } = await askModels(server, [
        { model: sklearn('iris.skops', onBare), input: [1, 2, 3, 4] },
        { model: `{ type = "registry", name = "mood", version = "1", ${onBare} }`, input: 'fine tea' },
      ]);
      expect(said).toEqual(
        ['sklearn', 'transformers'].map(
          (extra) => expect.stringContaining(`pip install 'tactus-temporal[${extra}]'`) as string,
        ),
      );
      expect([...failures.values()]).toEqual(said.map(() => ({ code: 'missing_package', attempts: 1 })));
    } finally {
      await worker.end();
    }
  });

  it('says why it does not start', async () => {
    const start = (...args: string[]): Promise<string> =>
      python
        .run(['-m', 'tactus_temporal.worker', '--address', server.env.address, ...args], {
          cwd: import.meta.dirname,
        })
        .then(
          () => 'it ran',
          ({ code, stderr }: { code: number; stderr: string }) => `${code}: ${stderr}`,
        );
    expect(await start('--module', 'missing')).toMatch(
      /^2: .*can't be imported: .*No module named 'missing'/s,
    );
    expect(await start('--trust', 'sha256:12')).toMatch(/^2: .*'sha256:12' is nothing to trust/s);
    expect(await start('--models', folder, '--trust', '..')).toMatch(/^2: .*'\.\.' is nothing to trust/s);
    expect(await start('--models', 'missing')).toMatch(/^2: .*there is no folder/s);
    expect(await start('--address', 'localhost:1')).toMatch(/^4: No Temporal server answers at localhost:1/);
  });
});

async function sha256(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

/** The process that has the models of a worker with one. */
async function childOf({ process: { pid } }: PythonWorker): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').at(-1));
}
