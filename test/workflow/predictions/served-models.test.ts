import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { activityAttempts } from '../../support/activity-attempts.js';
import { historiesOf } from '../../support/histories.js';
import { near } from '../../support/near.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { askedOfTexts, textModelCases } from '../../support/text-model-cases.js';
import { waitUntil } from '../../support/wait-until.js';

const kept = fileURLToPath(new URL('../../fixtures/models', import.meta.url));

/** What the libraries of Python say of the same files: `produce.py` there. */
interface Expected {
  inputs: JsonValue[];
  classes: string[];
  predict: JsonValue[];
  predict_proba: number[][];
}
const expected = JSON.parse(readFileSync(join(kept, 'expected.json'), 'utf8')) as Record<string, Expected>;
const folder = temporaryFolder('models');
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  await cp(kept, folder, { recursive: true });
  server = await startDevServer();
  worker = await startWorker(server, { activities: { modelsFolder: folder } });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

async function resultOf(body: string, input: Record<string, JsonValue> = {}): Promise<JsonValue> {
  const run = await server.tactus.start(procedureOf(body), input);
  return run.result();
}

describe('a file of ONNX', () => {
  it.each([
    ['iris-logistic.onnx', true],
    ['wine-forest.onnx', true],
    ['cancer-network.onnx', true],
    ['iris-logistic.onnx', false],
    ['iris-text.onnx', false],
  ])('%s is asked about one and about many, and says what scikit-learn does', async (path, hasLabels) => {
    const { inputs, classes, predict, predict_proba: scores } = expected[path] ?? raise(path);
    const labels = hasLabels ? `, labels = { "${classes.join('", "')}" }` : '';
    const said = await resultOf(
      `local m = Model "m" { type = "onnx", path = "${path}"${labels} }
       local many = {}
       for i, each in ipairs(m.predict_batch(input.inputs)) do many[i] = each.output end
       return { one = m(input.inputs[1]), many = many }`,
      { inputs },
    );
    const wanted = scores.map((each, i) => ({
      label: hasLabels ? classes[each.indexOf(Math.max(...each))] : predict[i],
      confidence: Math.max(...each),
      scores: hasLabels ? Object.fromEntries(classes.map((label, j) => [label, each[j] ?? 0])) : each,
    })) as JsonValue[];
    expect(said).toEqual({
      one: {
        output: near(wanted[0] ?? null),
        backend_type: 'onnx',
        model_version: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown,
      },
      many: near(wanted),
    });
  });
});

describe('folders of transformers models', () => {
  const { texts, cases } = textModelCases(kept);

  it.each(cases)('Model { %s } says what transformers does', async (fields, wanted) => {
    expect(wanted).toHaveLength(5);
    expect(await resultOf(askedOfTexts(fields), { texts })).toEqual(near(wanted));
  });

  it('has other names for its classes, and takes labels with an input', async () => {
    expect(
      await resultOf(
        `local mood = model { type = "bert", path = "mood", labels = { "bad", "so", "good" } }
         local entails = model { type = "bert", path = "entails", task = "zero-shot-classification" }
         local best = entails({ text = input.text, labels = { "travel", "goods" } })
         return { mood(input.text).label, best.label }`,
        { text: 'The kettle leaks, and it broke on day two.' },
      ),
    ).toEqual(['so', 'goods']);
  });
});

describe('many inputs', () => {
  it('are one activity for a thousand, and as many as answers have room for', async () => {
    const run = await server.tactus.start(
      procedureOf(
        `local wide = model { type = "onnx", path = "other-wide.onnx" }
         local sum = model { type = "onnx", path = "logit.onnx" }
         local rows, few = {}, {}
         for i = 1, 1000 do rows[i] = { i, 0, -1 } end
         for i = 1, 200 do few[i] = i end
         local sums, widest = sum.predict_batch(rows), wide.predict_batch(few)
         local right = true
         for i = 1, 1000 do right = right and sums[i] == i - 1 end
         for i = 1, 200 do right = right and widest[i][2000] == 1999 * i and #widest[i] == 2000 end
         return { right, #sums, #widest }`,
      ),
    );
    expect(await run.result()).toEqual([true, 1000, 200]);
    expect(await attemptsOf(run)).toEqual([1, 1, 1]);
  });
});

describe('what goes wrong', () => {
  const flowers = '{ 5.1, 3.5, 1.4, 0.2 }';
  const cases: [fields: string, input: string, message: string][] = [
    ['type = "onnx", path = "none.onnx"', '1', "none.onnx doesn't exist"],
    ['type = "onnx", path = "../none.onnx"', '1', 'Path traversal'],
    ['type = "onnx", path = "/etc/passwd"', '1', 'Path traversal'],
    ['type = "onnx", path = "outside.onnx"', '1', 'Path traversal'],
    ['type = "onnx", path = "mood"', '1', 'mood is a folder'],
    ['type = "onnx", path = "cut.onnx"', '1', "cut.onnx can't be loaded as a model of ONNX"],
    ['type = "onnx", path = "produce.py"', '1', '"produce.py" is refused: it is a program'],
    ['type = "onnx", path = "empty.onnx"', '1', "empty.onnx can't be loaded as a model of ONNX"],
    ['type = "onnx", path = "opset.onnx"', '1', 'Opset 9999'],
    ['type = "onnx", path = "iris-maps.onnx"', flowers, 'zipmap=False'],
    [
      'type = "onnx", path = "iris-logistic.onnx"',
      '{ 1, 2, 3 }',
      'must have the shape [any, 4], and it has [3]',
    ],
    ['type = "onnx", path = "iris-logistic.onnx"', '{ { { 1 } } }', 'and it has [1, 1, 1]'],
    ['type = "onnx", path = "iris-logistic.onnx"', '{ { 1, 2 }, { 3 } }', 'lists of different lengths'],
    ['type = "onnx", path = "iris-logistic.onnx"', '{}', 'has an empty list in it'],
    [
      'type = "onnx", path = "iris-logistic.onnx"',
      '{ 1, 2, "3", 4 }',
      'its value 3 is "3": each must be a finite number',
    ],
    ['type = "onnx", path = "iris-logistic.onnx"', '{ 1, 2, 1e39, 4 }', 'each must be a finite number'],
    ['type = "onnx", path = "iris-logistic.onnx"', '{ y = { 1 } }', 'has a field y, and the model takes X'],
    ['type = "onnx", path = "two-inputs.onnx"', '{ a = { 1, 2 } }', 'lacks the field b'],
    ['type = "onnx", path = "two-inputs.onnx"', '{ 1, 2 }', 'must be a table with the fields a, b'],
    ['type = "onnx", path = "iris-text.onnx"', '{ size = 3 }', 'each must be a text'],
    ['type = "onnx", path = "log.onnx"', '{ 0 }', 'the model gives -Infinity in y'],
    [
      'type = "onnx", path = "logits.onnx", labels = { "a", "b" }',
      '{ 1, 2, 3 }',
      'labels has 2 names, and the model gives 3 numbers',
    ],
    [
      'type = "onnx", path = "logits.onnx", labels = { "a", "a", "b" }',
      '{ 1, 2, 3 }',
      'labels has "a" twice',
    ],
    [
      'type = "onnx", path = "logits.onnx", outputs = { "z" }',
      '{ 1, 2, 3 }',
      'outputs names z, and the model gives y',
    ],
    [
      'type = "onnx", path = "logits.onnx", inputs = { x = { dtype = "int64" } }',
      '{ 1, 2, 3 }',
      'inputs says int64 of x, and the model takes float32',
    ],
    ['type = "bert", path = "mood.json"', '"a"', 'mood.json is a file, and must be the folder'],
    ['type = "bert", path = "bare"', '"a"', 'bare has no config.json'],
    ['type = "bert", path = "no-tokenizer"', '"a"', 'no-tokenizer has no tokenizer.json'],
    ['type = "bert", path = "broken-tokenizer"', '"a"', 'tokenizer.json of broken-tokenizer is not JSON'],
    ['type = "bert", path = "no-onnx"', '"a"', 'no-onnx has no onnx/model.onnx: optimum-cli export onnx'],
    ['type = "bert", path = "cut-onnx"', '"a"', "cut-onnx can't be loaded for text-classification"],
    ['type = "bert", path = "mood", task = "translation"', '"a"', 'there is no task "translation"'],
    ['type = "bert", path = "mood", dtype = "fp64"', '"a"', 'dtype must be one of fp32'],
    ['type = "bert", path = "mood", labels = { "a" }', '"a"', 'labels has 1 names, and the model knows 3'],
    ['type = "bert", path = "entails", task = "zero-shot-classification"', '"a"', 'needs labels'],
    ['type = "bert", path = "mood"', '3', 'input 1 must be a text'],
    [
      'type = "sentence_transformers", path = "sentences", pooling = "max"',
      '"a"',
      'pooling must be "mean" or "cls"',
    ],
  ];

  beforeAll(async () => {
    const bytes = readFileSync(join(kept, 'wine-forest.onnx'));
    await writeFile(join(folder, 'cut.onnx'), bytes.subarray(0, 3_000));
    await writeFile(join(folder, 'empty.onnx'), '');
    await writeFile(join(folder, 'mood.json'), '{}');
    await symlink(join(kept, 'logit.onnx'), join(folder, 'outside.onnx'));
    await mkdir(join(folder, 'bare'));
    const folders = { 'no-tokenizer': 'tokenizer.json', 'no-onnx': 'onnx/model.onnx' };
    for (const [name, missing] of Object.entries(folders)) {
      await cp(join(kept, 'mood'), join(folder, name), { recursive: true });
      await rm(join(folder, name, missing));
    }
    for (const [name, broken] of [
      ['broken-tokenizer', 'tokenizer.json'],
      ['cut-onnx', 'onnx/model.onnx'],
    ] as const) {
      await cp(join(kept, 'mood'), join(folder, name), { recursive: true });
      await writeFile(join(folder, name, broken), '{"version": ');
    }
  });

  it('is told with what and where, tried once, and leaves the worker as it was', async () => {
    const body = cases
      .map(([fields, input], i) => `said[${i + 1}] = { pcall(model "m${i + 1}" { ${fields} }, ${input}) }`)
      .join('\n');
    const run = await server.tactus.start(
      procedureOf(`local said = {}
        ${body}
        for i, each in ipairs(said) do said[i] = { each[1], tostring(each[2]) } end
        return { said = said, after = model { type = "onnx", path = "logit.onnx" }({ 1, 2, 3 }) }`),
    );
    const { said, after } = (await run.result()) as { said: [boolean, string][]; after: number };
    expect(
      said.map(([ok, why], i) => [ok, why.includes(cases[i]?.[2] ?? '?') ? cases[i]?.[2] : why]),
    ).toEqual(cases.map(([, , message]) => [false, message]));
    expect(after).toBe(6);
    expect(await attemptsOf(run)).toEqual([...cases, 'after'].map(() => 1));
    expect(JSON.stringify(said)).not.toContain(`${folder}/`);
  });

  it('of a model that hangs or crashes ends the process that it is in, and neither the worker nor the run', async () => {
    const hung = await resultOf(
      `local ok, why = pcall(model { type = "onnx", path = "endless.onnx", timeout = 1, retries = 0 }, 1)
       return { ok, tostring(why), model { type = "onnx", path = "logit.onnx" }({ 1, 2, 3 }) }`,
    );
    expect(hung).toEqual([false, expect.stringContaining('gave no answer within 1000 ms'), 6]);

    await cp(join(kept, 'endless.onnx'), join(folder, 'crashing.onnx'));
    const [pid = 0, ...others] = modelProcesses();
    expect(others).toEqual([]);
    const idle = ticksOf(pid);
    const run = await server.tactus.start(
      procedureOf(`return model { type = "onnx", path = "crashing.onnx", retries = 2 }({ 1, 2, 3 })`),
    );
    // Twenty hundredths of a second: it is at it.
    await waitUntil(() => Promise.resolve(ticksOf(pid) > idle + 20));
    await cp(join(kept, 'logit.onnx'), join(folder, 'crashing.onnx'));
    process.kill(pid, 'SIGKILL');
    expect(await run.result()).toBe(6);
    expect(await attemptsOf(run)).toEqual([2]);
    expect(modelProcesses()).not.toContain(pid);

    await cp(join(kept, 'endless.onnx'), join(folder, 'crashing.onnx'));
    const died = server.tactus.start(
      procedureOf(
        `return tostring(select(2, pcall(model { type = "onnx", path = "crashing.onnx", retries = 0 }, 1)))`,
      ),
    );
    const next = await waitUntil(() => Promise.resolve(modelProcesses()[0] ?? null));
    const before = ticksOf(next);
    await waitUntil(() => Promise.resolve(ticksOf(next) > before + 20));
    process.kill(next, 'SIGSEGV');
    expect(await (await died).result()).toContain('the process that runs models died (SIGSEGV)');
  });
});

it('a file that changes while a run goes on is another version: the run warns of it, and keeps what was predicted', async () => {
  await cp(join(kept, 'logits.onnx'), join(folder, 'changing.onnx'));
  const run = await server.tactus.start(
    procedureOf(
      `local m = Model "m" { type = "onnx", path = "changing.onnx" }
       local first = m({ 1, 2, 3 })
       Human.input { message = "Changed?" }
       local second = m({ 1, 2, 3 })
       return { first.output, second.output, first.model_version ~= second.model_version }`,
    ),
  );
  const [request] = await pendingOf(run);
  await cp(join(kept, 'logit.onnx'), join(folder, 'changing.onnx'));
  await run.decide({ request: request?.id ?? '', value: 'yes' });
  expect(await run.result()).toEqual([[1, 2, 3], 6, true]);
  const hash = (name: string): string =>
    `sha256:${createHash('sha256')
      .update(readFileSync(join(kept, name)))
      .digest('hex')}`;
  expect((await run.log()).execution_log.map(({ result }) => result)).toMatchObject([
    { version: hash('logits.onnx') },
    {},
    { version: hash('logit.onnx') },
  ]);
  expect((await run.status()).logs).toMatchObject([{ level: 'warning', context: { model: 'm' } }]);
  expect(await replayRun(server.client, run)).toEqual([]);
});

async function attemptsOf(run: TactusRun): Promise<number[]> {
  return [...activityAttempts(await historiesOf(server.client, run.runId)).values()];
}

/** Processes that run models for workers of this one. */
function modelProcesses(): number[] {
  // Node begins them in its main thread, which stays.
  const begun = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  return begun
    .filter((pid) => pid !== '' && ofLiving(`/proc/${pid}/cmdline`).includes('host/main.js'))
    .map(Number);
}

/** What the system says of a process; nothing once it has ended, which may be at any moment. */
function ofLiving(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}

/** Hundredths of a second that a process has computed for. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function raise(path: string): never {
  throw new Error(`nothing is known of ${path}`);
}
