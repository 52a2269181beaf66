import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StartOptions } from '../../src/client/runs/start-input.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { holdOn, holdText, holdView, type Hold, type HoldSubjects } from '../../src/contract/changes/hold.js';
import { toolNames } from '../../src/contract/tools/outside-tool.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { historiesOf, type History } from '../support/histories.js';
import { procedureOf } from '../support/procedure-source.js';
import { pythonOr, type Python } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { replayRun } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** Calls that a worker in Python would make, and that are held. */

const found = await pythonOr('holds of calls in Python');
const marks = temporaryFolder('held-till');
const ledger = join(marks, 'ledger');
let python: Python;
let server: TestServer;
let worker: TestWorker;
let tools: PythonWorker;

beforeAll(async () => {
  if (found === null) return;
  python = found.with({ MARKS: marks });
  server = await startDevServer();
  [worker, tools] = await Promise.all([
    startWorker(server),
    startPythonWorker(python, server, ['--module', 'till', '--grace', '1'], { cwd: import.meta.dirname }),
  ]);
});
afterAll(async () => {
  await tools?.end();
  await worker?.stop();
  await server?.stop();
});
beforeEach(() => writeFile(ledger, ''));
afterEach(async () => {
  for (const { target } of (await server?.tactus.holds.list()) ?? [])
    await server.tactus.holds.release(target);
});

const done = (): { what: string; key: string; attempt: number }[] =>
  existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as ReturnType<typeof done>[number])
    : [];

const start = (body: string, options: StartOptions = {}): Promise<TactusRun> =>
  server.tactus.start(procedureOf(body), {}, options);
const hold = (target: string): Promise<unknown> =>
  server.tactus.holds.add(target, { reason: 'the till is counted', by: 'ann' });
const whenHeld = (run: TactusRun) =>
  waitUntil(async () => {
    const view = await run.status();
    return view.held !== undefined && view;
  });
const charge =
  'local charge = Tool { use = "python.charge" } return charge({ card = "a", cents = 5 }).charged';
/** Why activities failed, as their histories have it. */
const failuresIn = (histories: readonly History[]) =>
  histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ activityTaskFailedEventAttributes: failed }) => failed?.failure ?? []);

describe.skipIf(found === null)('a call of a worker in Python', () => {
  it.each(['tool:charge', 'tool:python.ch*'])(
    'is held by %s, and made once when it is released',
    async (target) => {
      await hold(target);
      const run = await start(charge);
      expect(await whenHeld(run)).toMatchObject({
        held: [{ target, by: 'ann', reason: 'the till is counted', waiting: 1 }],
        waits: [{ kind: 'activity', held: true, hold: target }],
      });
      await waitUntil(async () => (await server.tactus.holds.list())[0]?.waiting === 1);
      expect(done()).toEqual([]);
      const [failure] = failuresIn(await historiesOf(server.client, run.runId));
      expect(failure).toMatchObject({
        message: expect.stringMatching(/^tool:\S+ is held by ann since \S+Z: the till is counted$/) as string,
        applicationFailureInfo: { type: 'held', nonRetryable: true },
      });
      expect(tools.said()).toContain(`A call waits: ${failure?.message}`);

      await server.tactus.holds.release(target);
      expect(await run.result()).toBe(5);
      expect(done()).toMatchObject([{ what: 'charge', attempt: 1 }]);
      const histories = await historiesOf(server.client, run.runId);
      expect(new Set(activityAttempts(histories).values())).toEqual(new Set([1]));
      expect(failuresIn(histories)).toHaveLength(1);
      expect(await replayRun(server.client, run)).toEqual([]);
    },
  );

  it('to a model is held by its task queue, and by the procedure of its run', async () => {
    const asks =
      'local ok = Event.wait("go") return model { type = "python", name = "rate" } ({ text = "tea" }).stars';
    for (const target of ['queue:tactus-python', 'procedure:main']) {
      const run = await start(asks);
      await waitUntil(async () => (await run.status()).waits.length === 1);
      await hold(target);
      await run.send('go', true);
      expect(await whenHeld(run)).toMatchObject({ waits: [{ held: true, hold: target }] });
      await server.tactus.holds.release(target);
      expect(await run.result()).toBe(3);
      expect(await replayRun(server.client, run)).toEqual([]);
    }
  });

  it('is held by the tenant of its run', async () => {
    const asks = `Event.wait("go") ${charge}`;
    const [theirs, own] = await Promise.all(
      ['acme', 'own'].map((fairnessKey) => start(asks, { priority: { fairnessKey } })),
    );
    if (theirs === undefined || own === undefined) throw new Error('two runs begin');
    await waitUntil(async () => (await theirs.status()).waits.length === 1);
    await hold('tenant:acme');
    await Promise.all([theirs.send('go', true), own.send('go', true)]);
    expect(await own.result()).toBe(5);
    expect(await whenHeld(theirs)).toMatchObject({ waits: [{ held: true, hold: 'tenant:acme' }] });
    expect(done()).toHaveLength(1);
    await server.tactus.holds.release('tenant:acme');
    expect(await theirs.result()).toBe(5);
    expect(await replayRun(server.client, theirs)).toEqual([]);
  });

  it('is made while others wait, where a release by rate has let it go', async () => {
    await hold('tool:charge');
    const runs = [await start(charge), await start(charge), await start(charge)];
    await waitUntil(async () => (await server.tactus.holds.list())[0]?.waiting === 3);
    await server.tactus.holds.release('tool:charge', { rate: 1 });
    await waitUntil(() => Promise.resolve(done().length === 1));
    expect((await server.tactus.holds.list())[0]).toMatchObject({ target: 'tool:charge', rate: 1 });
    for (const run of runs) expect(await run.result()).toBe(5);
    expect(new Set(done().map(({ key }) => key)).size).toBe(3);
    expect(done()).toHaveLength(3);
  });

  it('is none of those that are held by others', async () => {
    await hold('tool:refund');
    await hold('queue:tactus-py');
    await hold('procedure:other');
    const run = await start(charge);
    await waitUntil(async () => (await run.status()).held !== undefined || done().length === 1);
    expect(done()).toHaveLength(1);
    await run.result();
  });

  it('does not begin where a client in Python starts its run meanwhile', async () => {
    await hold('procedure:asks');
    const program = `
import asyncio, sys
from tactus_temporal.client import connect
async def main():
    tactus = await connect(sys.argv[1])
    await tactus.start({"entry": "asks.tac", "files": {"asks.tac": sys.argv[2]}}, run_id="held-start")
    await tactus.start({"entry": "free.tac", "files": {"free.tac": sys.argv[2]}}, run_id="free-start")
asyncio.run(main())`;
    const asks = 'Procedure { function() return Human.input("Name?") end }';
    await python.run(['-c', program, server.env.address, asks]);
    const [held, free] = ['held-start', 'free-start'].map((runId) => server.tactus.attach(runId));
    if (held === undefined || free === undefined) throw new Error('not started');
    expect(await whenHeld(held)).toMatchObject({
      status: 'paused',
      paused: { by: 'ann', reason: 'the till is counted', hold: 'procedure:asks' },
      held: [{ target: 'procedure:asks', waiting: 1 }],
      pending: [],
    });
    await waitUntil(async () => (await free.pending()).length === 1);
    await server.tactus.holds.release('procedure:asks');
    await waitUntil(async () => (await held.pending()).length === 1);
    await Promise.all([held, free].map((run) => run.cancel()));
  });

  it('is held by the same rules, and for the same words, as of a worker in TypeScript', async () => {
    const one = (target: string, more: Partial<Hold> = {}): Hold => ({
      ...{ id: target, target, reason: 'down', by: null, since: 1_767_225_600_000, until: null },
      ...more,
    });
    const holds = [
      one('tool:*a*b*ba', { by: 'ann' }),
      one('tool:crm.*'),
      one('tool:mcp.*.find', { until: 1_767_225_600_500 }),
      one('tool:*ж😀', { rate: 0.5 }),
      one('tool:[a-c]?'),
      one('queue:g*u', { id: 'freed' }),
      one('queue:gpu-*', { until: 1_767_225_601_001, rate: 2 }),
      one('tenant:ac*'),
      one('procedure:*'),
    ];
    const sources = [
      'python.crm.find',
      'crm.find',
      'mcp.crm.find',
      'aba',
      'ab.abba',
      'abba',
      'b',
      'ж😀',
      '[a-c]?',
    ];
    const questions: [HoldSubjects, number][] = [
      ...sources.map((source): [HoldSubjects, number] => [{ tool: toolNames(source) }, 0]),
      ...[0, 1_767_225_600_500].map((now): [HoldSubjects, number] => [{ tool: ['mcp.crm.find'] }, now]),
      [{ queue: ['gpu'], tenant: ['acme'] }, 0],
      [{ queue: ['gpu'] }, 0],
      [{ queue: ['gpu-1'] }, 0],
      [{ queue: ['gpu-1'], procedure: ['main'] }, 1_767_225_601_001],
    ];
    const program = `
import json, sys
from tactus_temporal.holds import hold_on, tool_names
from tactus_temporal.worker.held_calls import hold_text
holds, questions, sources = json.loads(sys.argv[1])
found = [hold_on(holds, subjects, now, ["freed"]) for subjects, now in questions]
print(json.dumps([[None if each is None else hold_text(each) for each in found], [tool_names(each) for each in sources]]))`;
    const said = JSON.parse(
      await python.run(['-c', program, JSON.stringify([holds, questions, sources])]),
    ) as unknown;
    const expected = questions.map(([subjects, now]) => holdOn(holds, subjects, now, ['freed']));
    const texts = expected.map((each) => each && holdText(holdView(each, 0)));
    expect(new Set(texts).size).toBeGreaterThan(6);
    expect(said).toEqual([texts, sources.map(toolNames)]);
  });
});
