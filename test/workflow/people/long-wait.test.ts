import { describe, expect, it } from 'vitest';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';

const dayMs = 86_400_000;

const server = serverWithWorker(startTimeSkippingServer);

describe('a wait of weeks takes no time here', () => {
  it.each([
    {
      kind: 'an approval',
      ask: 'Human.approve{ message = "Go?", timeout = "21d", default = true }',
      expected: true,
    },
    {
      kind: 'an approval without a default',
      ask: 'Human.approve{ message = "Go?", timeout = "21d" }',
      expected: false,
    },
    {
      kind: 'an input',
      ask: 'Human.input{ message = "Which?", timeout = "3w", default = "none" }',
      expected: 'none',
    },
    { kind: 'a sleep', ask: 'Sleep("21d")', expected: null },
  ])('$kind goes on after three weeks', async ({ ask, expected }) => {
    const run = await server.tactus.start(
      procedureOf(
        `local before = os.time()\nlocal answer = ${ask}\nreturn { answer = answer, days = (os.time() - before) // 86400 }`,
      ),
    );
    const startedAt = Date.now();
    expect(await run.result()).toEqual({ ...(expected === null ? {} : { answer: expected }), days: 21 });
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    const [entry] = (await run.log()).execution_log;
    expect(entry?.duration_ms).toBeGreaterThanOrEqual(21 * dayMs);
    if (expected !== null) expect(entry).toMatchObject({ result: { value: expected, timed_out: true } });
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  });

  it('a decision after two of three weeks wins', async () => {
    const run = await server.tactus.start(
      procedureOf('return Human.approve{ message = "Go?", timeout = "21d", default = false }'),
    );
    const [request] = await pendingOf(run);
    await server.env.sleep('14 days');
    expect(await run.decide({ request: request?.id ?? '', value: true })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await run.result()).toBe(true);
  });

  it('an open request and an open timer keep their ends while the run continues as new', async () => {
    const source = procedureOf(`
      local before = os.time()
      local function days() return (os.time() - before) // 86400 end
      local ends = Parallel{
        function() Human.approve{ message = "Go?", timeout = "10d" } return days() end,
        function() Sleep("5d") return days() end,
        function() for i = 1, 14 do Sleep("12h") end return days() end,
      }
      return ends`);
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: 12 } });
    expect(await run.result()).toEqual([10, 5, 7]);
    expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(2);
  });
});
