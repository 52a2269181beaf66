import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { oneExecution } from '../../support/one-execution.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const asks = 'Procedure { function() return Human.input { message = "Name?" } end }';

const tookDays = `
  local before = os.time()
  local function days() return (os.time() - before) / 86400 end
`;

/** The error that a run ends with. */
async function errorOf(run: TactusRun): Promise<unknown> {
  await expect(run.result()).rejects.toThrow();
  return (await run.status()).error;
}

describe('a deadline', () => {
  const server = serverWithWorker(startTimeSkippingServer);

  it.each([
    ['in one execution', oneExecution, 1],
    ['in a run that continues as new meanwhile', { historyEvents: 15 }, 2],
  ])('is caught around what has it, and does not begin anew, %s', async (_, limits, executions) => {
    const run = await server.tactus.start(
      procedureOf(`${tookDays}
        local ok, err = pcall(step, "ask", function()
          for _ = 1, 12 do Sleep("1h") end
          return Human.approve("In time?")
        end, { deadline = "2d" })
        local took = days()
        Sleep(1)
        return { ok = ok, code = Error.code(err), took = math.floor(took * 100 + 0.5) / 100 }`),
      {},
      { limits },
    );
    const { runId: first } = await run.handle.describe();
    expect(await run.result()).toEqual({ ok: false, code: 'deadline_exceeded', took: 2 });
    const { runId: last } = await run.handle.describe();
    expect(last === first).toBe(executions === 1);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('is that of a child run also where nobody waits for it', async () => {
    const main = `Procedure { function()
      local child
      step("start", function() child = Procedure.spawn("child.tac") end, { deadline = "2d" })
      local ok, err = pcall(Procedure.wait, child)
      return { ok = ok, err = err }
    end }`;
    const run = await server.tactus.start(procedureSource(main, { 'child.tac': asks }));
    expect(await run.result()).toMatchObject({
      ok: false,
      err: expect.stringContaining('the run was not done by its deadline, ') as string,
    });
    const child = server.tactus.attach(`${run.runId}/0.1`);
    expect(await waitUntil(async () => (await child.status()).error)).toMatchObject({
      code: 'deadline_exceeded',
    });
    expect(await replayRun(server.client, child)).toEqual([]);
  });
});

describe('a deadline of a run with a child', () => {
  // Of its own: a server skips no more time where a child has ended after its parent.
  const server = serverWithWorker(startTimeSkippingServer);

  it('stands still with a pause that says so, and a run that is started then has what is left', async () => {
    const main = `Procedure { deadline = "2d", function()
      Human.approve("Go on?")
      local child = Procedure.spawn("child.tac")
      Event.wait("never")
    end }`;
    const run = await server.tactus.start(procedureSource(main, { 'child.tac': asks }));
    const [request] = await pendingOf(run);
    await server.env.sleep('1 day');
    await run.pause({ deadlines: 'stand_still' });
    await server.env.sleep('10 days');
    await run.unpause();
    await run.decide({ request: request?.id ?? '', value: true });
    const child = server.tactus.attach(`${run.runId}/2`);
    await pendingOf(child);
    await server.env.sleep('12 hours');
    expect(await run.status()).toMatchObject({ error: null });
    expect(await errorOf(run)).toMatchObject({ code: 'deadline_exceeded' });
    const { started_at: began, closed_at: ended } = await run.status();
    const days = (Date.parse(ended ?? '') - Date.parse(began)) / 86_400_000;
    expect(Math.round(days)).toBe(12);
    expect(await replayRun(server.client, run)).toEqual([]);
  });
});
