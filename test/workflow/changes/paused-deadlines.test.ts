import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startTimeSkippingServer);

const days = `
  local before = os.time()
  local function days() return (os.time() - before) // 86400 end
`;

/** A timer has its turn a moment after the server says that the time has passed. */
const soon = <T>(ask: () => Promise<T | false>): Promise<T> => waitUntil(ask);
const replayed = (run: TactusRun): Promise<string[]> => replayRun(server.client, run);

describe('deadlines of a paused run', () => {
  const asked = procedureOf(`${days}
    local answer = Human.input{ message = "Name?", timeout = "2d", default = "nobody" }
    Sleep("1d")
    return { answer = answer, days = days() }`);

  it('go on where nothing else is said, and what they lead to is held', async () => {
    const run = await server.tactus.start(asked);
    await pendingOf(run);
    await run.pause();
    await server.env.sleep('5 days');
    const view = await soon(async () => {
      const now = await run.status();
      return now.checkpoints === 1 && now;
    });
    expect(view).toMatchObject({ status: 'paused', pending: [], waits: [{ kind: 'time', held: true }] });
    await run.unpause();
    expect(await run.result()).toEqual({ answer: 'nobody', days: 6 });
    expect(await replayed(run)).toEqual([]);
  });

  it('stand still where that is said: a request has its whole time afterwards', async () => {
    const run = await server.tactus.start(asked);
    const [before] = await pendingOf(run);
    await server.env.sleep('1 day');
    await run.pause({ deadlines: 'stand_still' });
    await server.env.sleep('10 days');
    expect(await run.status()).toMatchObject({ status: 'paused', checkpoints: 0, pending: [{}] });
    await run.unpause();
    const [after] = await pendingOf(run);
    const movedMs = Date.parse(after?.deadline ?? '') - Date.parse(before?.deadline ?? '');
    expect(Math.round(movedMs / 86_400_000)).toBe(10);
    expect(after?.id).toBe(before?.id);
    expect(await run.result()).toEqual({ answer: 'nobody', days: 13 });
    expect(await replayed(run)).toEqual([]);
  });

  it('stand still for sleeps and waits, and a decision counts meanwhile', async () => {
    const run = await server.tactus.start(
      procedureOf(`${days}
        local all = Parallel({
          function() Sleep("2d") return days() end,
          function() Event.wait("paid", { timeout = "3d" }) return days() end,
          function() return Human.approve{ message = "Go?", timeout = "2d", default = false } end,
        })
        return all`),
    );
    const [request] = await pendingOf(run);
    await run.pause({ deadlines: 'stand_still' });
    await server.env.sleep('10 days');
    expect(await run.decide({ request: request?.id ?? '', value: true })).toMatchObject({
      outcome: 'accepted',
    });
    await run.unpause();
    expect(await run.result()).toEqual([12, 13, true]);
    expect(await replayed(run)).toEqual([]);
  });

  it('stand still when it continues as new meanwhile', async () => {
    const run = await server.tactus.start(
      procedureOf(`${days}
        local waits = { function() Sleep("2d") return days() end, function() return Human.input{ message = "Name?", timeout = "3d", default = "nobody" } end }
        for i = 1, 20 do waits[i + 2] = function() Event.wait("go " .. i) end end
        local all = Parallel(waits)
        return { all[1], all[2], days() }`),
      {},
      { limits: { historyEvents: 30 } },
    );
    await pendingOf(run);
    const { runId: first } = await run.handle.describe();
    await run.pause({ deadlines: 'stand_still' });
    await server.env.sleep('10 days');
    for (let i = 1; i <= 20; i++) await run.send(`go ${i}`, true);
    await soon(async () => (await run.status()).checkpoints === 20);
    expect((await run.handle.describe()).runId).not.toBe(first);
    await server.env.sleep('10 days');
    expect(await run.status()).toMatchObject({ status: 'paused', pending: [{}] });
    await run.unpause();
    expect(await run.result()).toEqual([22, 'nobody', 23]);
    expect(await replayed(run)).toEqual([]);
  });

  it('stand still for those who would be asked besides', async () => {
    const run = await server.tactus.start(
      procedureOf(`${days}
        local answer = Human.approve{ message = "Go?", timeout = "2d", default = false, approvers = {"ann"}, escalate_to = {{ to = "bob", timeout = "2d" }} }
        return days()`),
    );
    await pendingOf(run);
    await run.pause({ deadlines: 'stand_still' });
    await server.env.sleep('10 days');
    expect((await pendingOf(run))[0]?.escalation).toMatchObject([{ asked: false }]);
    await run.unpause();
    expect((await pendingOf(run))[0]?.escalation).toMatchObject([{ asked: false }]);
    expect(await run.result()).toBe(14);
  });
});
