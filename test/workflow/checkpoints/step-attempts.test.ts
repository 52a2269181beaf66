import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { History } from '../../support/histories.js';
import { oneExecution } from '../../support/one-execution.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { startSkippingServer } from '../../support/test-server.js';

const server = serverWithWorker(startSkippingServer);

const executionsOf = (run: TactusRun): Promise<History[]> => soundExecutions(server.client, run);

/** Seconds of the timers of an execution that were started, and how many were cancelled and have fired. */
function timersOf({ events }: History): { seconds: number[]; cancelled: number; fired: number } {
  const all = events ?? [];
  return {
    seconds: all.flatMap(({ timerStartedEventAttributes: started }) =>
      started == null ? [] : [Number(started.startToFireTimeout?.seconds ?? 0)],
    ),
    cancelled: all.filter(({ timerCanceledEventAttributes: cancelled }) => cancelled != null).length,
    fired: all.filter(({ timerFiredEventAttributes: fired }) => fired != null).length,
  };
}

describe('a step', () => {
  it('waits between its attempts by durable timers, and gives what stands in', async () => {
    const source = procedureOf(`
      local tries = 0
      local value = step("load", function() tries = tries + 1 error("no luck", 0) end, {
        retries = 3,
        backoff = { initial_delay = "1h", max_delay = "3h" },
        on_error = function(err, attempts) return { err = err, attempts = attempts } end,
      })
      return { value = value, tries = tries }`);
    const run = await server.tactus.start(source, {}, { limits: oneExecution });
    expect(await run.result()).toEqual({ value: { err: 'no luck', attempts: 4 }, tries: 4 });
    const [history = {}] = await executionsOf(run);
    expect(timersOf(history)).toEqual({ seconds: [3_600, 7_200, 10_800], cancelled: 0, fired: 3 });
    const { execution_log: log } = await run.log();
    expect(log.map(({ position, name }) => `${position} ${name}`)).toEqual([
      ...['0.0 attempt 1', '0.1 retry after 3600s', '0.2 attempt 2', '0.3 retry after 7200s'],
      ...['0.4 attempt 3', '0.5 retry after 10800s', '0.6 attempt 4', '0 load'],
    ]);
  });

  it.each([
    ['in one execution', oneExecution, 1],
    ['in a run that continues as new meanwhile', { historyEvents: 15 }, 2],
  ])('withdraws what takes too long, and its timer when it is done, %s', async (_, limits, executions) => {
    const source = procedureOf(`
      local function ask()
        for _ = 1, 4 do Sleep(1) end
        return Human.approve("In time?")
      end
      local ok, err = pcall(step, "ask", ask, { timeout = "2d", retries = 1, backoff = "1d" })
      local quick = step("quick", function() Sleep(60) return "done" end, { timeout = "30d" })
      Sleep(1)
      return { ok = ok, code = Error.code(err), err = err, quick = quick }`);
    const run = await server.tactus.start(source, {}, { limits });
    expect(await run.result()).toEqual({
      ok: false,
      code: 'deadline_exceeded',
      err: "step 'ask' was not done within 172800 s",
      quick: 'done',
    });
    const histories = await executionsOf(run);
    expect(histories.length).toBeGreaterThanOrEqual(executions);
    const { execution_log: log } = await run.log();
    const ended = log.filter(({ name }) => /^attempt|^retry|^timeout/.test(name));
    expect(ended.map(({ position, name }) => `${position} ${name}`)).toEqual([
      ...['0.0.1.0 timeout after 172800s', '0.0 attempt 1', '0.1 retry after 86400s'],
      ...['0.2.1.0 timeout after 172800s', '0.2 attempt 2', '1.0 attempt 1'],
    ]);
    // The deadline of an attempt is not begun anew by another execution.
    const at = (position: string): number =>
      Date.parse(log.find((each) => each.position === position)?.timestamp ?? '');
    const days = (at('0.2') - at('0.0.0.0')) / 86_400_000;
    expect(days).toBeGreaterThan(4.99);
    expect(days).toBeLessThan(5.01);
    if (executions > 1) return;
    const [history = {}] = histories;
    expect(timersOf(history)).toMatchObject({ cancelled: 1 });
    expect(timersOf(history).seconds.filter((seconds) => seconds > 86_400)).toEqual([
      172_800, 172_800, 2_592_000,
    ]);
    expect(await run.status()).toMatchObject({ status: 'completed', pending: [] });
  });
});
