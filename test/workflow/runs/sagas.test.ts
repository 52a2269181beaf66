import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { oneExecution } from '../../support/one-execution.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);

const replayed = (run: TactusRun): Promise<string[]> => replayRun(server.client, run);
const statusOf = async (run: TactusRun): Promise<string> => (await run.status()).status;
const until = (run: TactusRun, status: string): Promise<boolean> =>
  waitUntil(async () => (await statusOf(run)) === status);
const steps = async (run: TactusRun): Promise<string[]> => {
  const { execution_log: log } = await run.log();
  return log.flatMap(({ type, name }) => (type === 'step' ? [name ?? ''] : []));
};

describe('a run with a saga that is cancelled', () => {
  it.each([
    ['in one execution', oneExecution],
    ['that has continued as new', { historyEvents: 12 }],
  ])(
    'compensates with effects, shows that it is cancelling, and ends as cancelled, %s',
    async (_, limits) => {
      const run = await server.tactus.start(
        procedureOf(`
        defer("close", function() Log.info("closed") end)
        Saga("trip", function(saga)
          saga.add_compensation("cancel hotel", function() Human.input { message = "How?" } Sleep(0.1) end)
          for _ = 1, 8 do Sleep(0.01) end
          saga.add_compensation("cancel car", function() error("no answer", 0) end)
          pcall(Human.approve, "Pay?")
        end)
        return "never"`),
        {},
        { limits },
      );
      await pendingOf(run);
      await run.cancel();
      const [request] = await waitUntil(async () => {
        const open = await run.pending();
        return open[0]?.message === 'How?' && open;
      });
      expect(await run.status()).toMatchObject({ status: 'cancelling', error: null });
      await run.decide({ request: request?.id ?? '', value: 'by phone' });
      await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
      expect(await run.status()).toMatchObject({
        status: 'cancelled',
        error: { code: 'cancelled', message: "The run was cancelled. Failed: 'cancel car': no answer" },
      });
      expect(await steps(run)).toEqual(['cancel car', 'cancel hotel', 'close']);
      expect((await run.handle.describe()).status.name).toBe('CANCELLED');
      expect(await replayed(run)).toEqual([]);
    },
  );

  it('says since when and until when, and what is left, which becomes less', async () => {
    const run = await server.tactus.start(
      procedureSource(`Procedure { cancel_timeout = "1h", function()
        defer("close", function() Human.input { message = "closed?" } end)
        Saga("trip", function(saga)
          saga.add_compensation("cancel hotel", function() end)
          saga.add_compensation("cancel *car*", function() Human.input { message = "no car?" } end)
          Human.approve("Pay?")
        end)
      end }`),
    );
    const details = async (): Promise<string> =>
      (await run.handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
    const answer = async (message: string): Promise<void> => {
      const [request] = await waitUntil(async () => {
        const open = await run.pending();
        return open[0]?.message === message && open;
      });
      await run.decide({ request: request?.id ?? '', value: 'done' });
    };
    await pendingOf(run);
    expect(await run.status()).not.toHaveProperty('cancelling');
    expect(await details()).not.toContain('cancelling');
    const asked = Date.now();
    await run.cancel();
    await until(run, 'cancelling');
    const { cancelling } = await run.status();
    expect(cancelling?.left).toEqual(['cancel *car*', 'cancel hotel', 'close']);
    const since = Date.parse(cancelling?.since ?? '');
    expect(Date.parse(cancelling?.until ?? '') - since).toBe(3_600_000);
    expect(Math.abs(since - asked)).toBeLessThan(60_000);
    const times = `cancelling since ${cancelling?.since}, until ${cancelling?.until} at the latest; left:`;
    expect((await details()).split('\n')).toContain(`${times} cancel \\*car\\*, cancel hotel, close`);
    await answer('no car?');
    await waitUntil(async () => (await run.status()).cancelling?.left.length === 1);
    expect((await run.status()).cancelling).toEqual({ ...cancelling, left: ['close'] });
    expect((await details()).split('\n')).toContain(`${times} close`);
    await answer('closed?');
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.status()).not.toHaveProperty('cancelling');
    expect(await replayed(run)).toEqual([]);
  });

  const slow = (timeout: string): string => `Procedure { cancel_timeout = "${timeout}", function()
    defer("first", function() Log.info("never") end)
    Saga("trip", function(saga)
      saga.add_compensation("cancel hotel", function() Sleep("1h") end)
      Human.approve("Pay?")
    end)
  end }`;
  const left = "The run was cancelled. Did not run to their end: 'cancel hotel', 'first'";

  it('gives up when its time is over, and says what has not run', async () => {
    const run = await server.tactus.start(procedureSource(slow('1s')));
    await pendingOf(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.status()).toMatchObject({ status: 'cancelled', error: { message: left } });
    expect(await replayed(run)).toEqual([]);
  });

  it('gives up when it is cancelled again', async () => {
    const run = await server.tactus.start(procedureSource(slow('1h')));
    await pendingOf(run);
    await run.cancel();
    await until(run, 'cancelling');
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.status()).toMatchObject({ status: 'cancelled', error: { message: left } });
    expect(await replayed(run)).toEqual([]);
  });

  it('compensates although it is paused, and takes its children with it', async () => {
    const child = `Procedure { function()
      defer("tell", function() Sleep(0.05) end)
      Human.approve("Child?")
    end }`;
    const main = `Procedure { function()
      Saga("trip", function(saga)
        saga.add_compensation("undo", function() Sleep(0.05) end)
        Procedure.run("child.tac")
      end)
    end }`;
    const run = await server.tactus.start(procedureSource(main, { 'child.tac': child }));
    const below = server.tactus.attach(`${run.runId}/0.0`);
    await pendingOf(below);
    await run.pause();
    await run.cancel();
    for (const each of [run, below]) await expect(each.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await steps(run)).toEqual(['undo']);
    expect(await steps(below)).toEqual(['tell']);
    expect(await replayed(run)).toEqual([]);
    expect(await replayed(below)).toEqual([]);
  });

  it('ends at once where nothing is open, and terminate compensates nothing', async () => {
    const run = await server.tactus.start(procedureSource(slow('1h')));
    await pendingOf(run);
    await run.terminate('by hand');
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    const { execution_log: log } = await run.log();
    expect(log).toEqual([]);
  });
});
