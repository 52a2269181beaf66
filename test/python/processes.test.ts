import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { historiesOf } from '../support/histories.js';
import { isAlive } from '../support/is-alive.js';
import { procedureOf } from '../support/procedure-source.js';
import { modelsPythonOr, type Python } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** A worker in Python with two processes, which have a model before they are asked. */

const found = await modelsPythonOr('a worker in Python with two processes');
const folder = temporaryFolder('models');
const marks = temporaryFolder('marks');
let python: Python;
let server: TestServer;
let worker: TestWorker;
let models: PythonWorker;

beforeAll(async () => {
  if (found === null) return;
  python = found.with({ MARKS: marks });
  const make = 'import pickle, sys, counted; pickle.dump(counted.Counted(), open(sys.argv[1], "wb"))';
  await python.run(['-c', make, join(folder, 'counted.pkl')], { cwd: import.meta.dirname });
  server = await startDevServer();
  const warm = [
    { type: 'sklearn', path: 'counted.pkl', trusted: true },
    { type: 'sklearn', path: 'none.skops' },
  ].flatMap((each) => ['--warm', JSON.stringify(each)]);
  const args = [
    '--models',
    folder,
    '--trust',
    '.',
    '--module',
    'shop',
    '--grace',
    '1',
    '--processes',
    '2',
    ...warm,
  ];
  [worker, models] = await Promise.all([
    startWorker(server),
    startPythonWorker(python, server, args, { cwd: import.meta.dirname }),
  ]);
});
afterAll(async () => {
  await models?.end();
  await worker?.stop();
  await server?.stop();
});

const slow = (mark: string): Promise<TactusRun> =>
  server.tactus.start(
    procedureOf(`return Model "slow" { type = "python", retry = { delay = 0.1 } }("${mark}").output`),
    {},
    { limits: { heartbeatMs: 1_000 } },
  );
const isBegun = (mark: string): Promise<true> =>
  waitUntil(() => Promise.resolve(existsSync(join(marks, mark))));
const goOn = (mark: string): Promise<void> => writeFile(join(marks, `${mark}-go`), '');

/** The processes with its models. */
function children(): number[] {
  const { pid } = models.process;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

describe.skipIf(found === null)('a worker in Python with two processes', () => {
  it('has the models in both that it was told to have, before anybody asks, and says what it has not', async () => {
    const times = (words: string): number => models.said().split(words).length - 1;
    await waitUntil(() => Promise.resolve(times('counted.pkl was loaded') === 2));
    await waitUntil(() => Promise.resolve(times('none.skops could not be loaded ahead') === 2));
    const loads = (): string => readFileSync(join(marks, 'loads'), 'utf8');
    expect(loads()).toBe('xx');
    const source = procedureOf(
      'return Model "counted" { type = "sklearn", path = "counted.pkl", trusted = true }({ 1, 2 }).output',
    );
    expect(await (await server.tactus.start(source, {})).result()).toBe(3);
    expect(loads()).toBe('xx');
  });

  it('is at two predictions at once, and takes another one when there is a process for it', async () => {
    const [one, two] = await Promise.all([slow('one'), slow('two')]);
    await Promise.all([isBegun('one'), isBegun('two')]);
    const third = await slow('third');
    await goOn('one');
    expect(await one.result()).toBe('x');
    // Two is still at it.
    await isBegun('third');
    expect(existsSync(join(marks, 'two-go'))).toBe(false);
    await Promise.all([goOn('two'), goOn('third')]);
    expect([await two.result(), await third.result()]).toEqual(['x', 'x']);
  });

  it('ends the process of a prediction that is cancelled, and leaves the other at its own', async () => {
    const [left, kept] = await Promise.all([slow('left'), slow('kept')]);
    await Promise.all([isBegun('left'), isBegun('kept')]);
    const before = children();
    expect(before).toHaveLength(2);
    await left.cancel();
    await waitUntil(() => Promise.resolve(before.filter(isAlive).length === 1));
    await goOn('kept');
    expect(await kept.result()).toBe('x');
    expect([...activityAttempts(await historiesOf(server.client, kept.runId)).values()]).toEqual([1]);
    // There are two again, as soon as they are asked for.
    const [again, more] = await Promise.all([slow('again'), slow('more')]);
    await Promise.all([isBegun('again'), isBegun('more')]);
    await Promise.all([goOn('again'), goOn('more')]);
    expect([await again.result(), await more.result()]).toEqual(['x', 'x']);
  });

  it('shows that it is alive at a prediction that takes longer than it may be silent', async () => {
    const run = await slow('long');
    await isBegun('long');
    await waitUntil(async () => {
      const [pending] = (await run.handle.describe()).raw.pendingActivities ?? [];
      const seconds = (time?: { seconds?: unknown } | null): number => Number(time?.seconds ?? 0);
      // Three times what the server waits for a word.
      return seconds(pending?.lastHeartbeatTime) - seconds(pending?.lastStartedTime) >= 3;
    });
    await goOn('long');
    expect(await run.result()).toBe('x');
    expect([...activityAttempts(await historiesOf(server.client, run.runId)).values()]).toEqual([1]);
  });
});
