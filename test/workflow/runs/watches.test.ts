import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startWorker } from '../../support/test-worker.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';

/** One for each test: time that was skipped for one run, and stands still after its end, is not skipped for another. */
let server: TestServer;
let worker: Awaited<ReturnType<typeof startWorker>>;

beforeEach(async () => {
  server = await startTimeSkippingServer();
  worker = await startWorker(server);
});

afterEach(async () => {
  await worker.stop();
  await server.stop();
});

/** So few that a run continues as new after some 18 looks at other runs. */
const limits = { historyEvents: 15 };
const sixHours = 6 * 3600;

const files = {
  'slow.tac': 'Procedure { function(input) Sleep(input.time or "20d") return { slept = 20 } end }',
  'asks.tac': 'Procedure { function() return { ok = Human.approve("Go?") } end }',
};

/** Pauses before looks at other runs, in s, over all executions of a run that failed no workflow task and replays. */
async function pausesOf({
  runId,
}: Pick<TactusRun, 'runId'>): Promise<{ pauses: number[]; executions: number }> {
  const histories = await historiesOf(server.client, runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, { runId })).toEqual([]);
  const timers = histories.flatMap(({ events }) =>
    (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
      timer == null
        ? []
        : [Number(timer.startToFireTimeout?.seconds ?? 0) + (timer.startToFireTimeout?.nanos ?? 0) / 1e9],
    ),
  );
  return { pauses: timers, executions: histories.length };
}

/** Without pauses that go on, each execution begins with looks every few seconds: there are hundreds or thousands of them. */
function expectRare({ pauses, executions }: { pauses: number[]; executions: number }): void {
  expect(executions).toBeGreaterThan(2);
  expect(executions).toBeLessThan(20);
  expect(Math.max(...pauses)).toBe(sixHours);
}

it('looks at a child grow rarer over weeks, though the run continues as new again and again', async () => {
  const source = procedureOf(
    `local h = Procedure.spawn("slow.tac")
     for _ = 1, 5 do Sleep("1s") end
     return Procedure.wait(h).slept`,
    files,
  );
  const run = await server.tactus.start(source, {}, { limits });
  expect(await run.result()).toBe(20);
  expectRare(await pausesOf(run));
});

it('so do looks at a run that somebody else has started', async () => {
  const slow = await server.tactus.start(procedureOf('Sleep("25s") return 20'));
  const run = await server.tactus.start(
    procedureOf('return Procedure.wait(input.id)'),
    { id: slow.runId },
    { limits },
  );
  expect(await run.result()).toBe(20);
  const { pauses, executions } = await pausesOf(run);
  expect(executions).toBeGreaterThan(1);
  // What is left of a pause may be a little less than the one before.
  const shrunk = pauses.filter((pause, index) => pause < (pauses[index - 1] ?? 0) - 0.4);
  expect(shrunk).toEqual([]);
  expect(Math.max(...pauses)).toBeGreaterThan(1.5);
});

it('so do looks at the run that waits for an answer, and the answer comes through', async () => {
  const run = await server.tactus.start(
    procedureOf('return Procedure.run("asks.tac", {})', files),
    {},
    { limits },
  );
  const child = server.tactus.attach(`${run.runId}/0`);
  const [request] = await pendingOf(child);
  await server.env.sleep('20 days');
  await child.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toEqual({ ok: true });
  expectRare(await pausesOf(child));
});

it('a child that is started later is looked at soon again', async () => {
  const source = procedureOf(
    `local first = Procedure.spawn("slow.tac")
     for _ = 1, 5 do Sleep("1s") end
     Sleep("10d")
     local second = Procedure.spawn("slow.tac", { time = "15s" })
     for _ = 1, 5 do Sleep("1s") end
     return Procedure.wait(second).slept`,
    files,
  );
  const run = await server.tactus.start(source, {}, { limits });
  expect(await run.result()).toBe(20);
  const { pauses } = await pausesOf(run);
  const rarest = pauses.indexOf(sixHours);
  expect(rarest).toBeGreaterThan(0);
  expect(pauses.slice(rarest)).toContain(5);
});
