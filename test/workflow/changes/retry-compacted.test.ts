import { describe, expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { unpackLog } from '../../../src/log/pack.js';
import { pendingOf } from '../../support/pending-of.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { agents, rewinding } from './rewinding.js';

const { around, attach, calls } = rewinding();

const limits = { historyEvents: 40 };
/** A unit of 12 checkpoints, for which a snapshot stands when the run continues as new. */
const unit = `unit = Procedure {
    input = { i = field.number {} },
    whole = true,
    function(input)
      for k = 1, 10 do checkpoint(function() return { k = k, text = string.rep("x", 300) } end) end
      Sleep(0.001)
      state.done = (state.done or 0) + 1
      return { i = input.i }
    end,
  }`;
const units = (count: number): string => `for i = 1, ${count} do unit { i = i } end`;
const refused = 'http_client.get("http://127.0.0.1:1/x")';

/** A procedure of this body, which fails as long as it isn't mended. */
const text = (body: string, isMended: boolean): string => `${agents}${unit}
  local isMended = ${isMended}
  main = Procedure { function(input)
    ${body}
  end }`;
const source = (body: string, isMended: boolean): ProcedureSource => ({
  entry: 'main.tac',
  files: { 'main.tac': text(body, isMended) },
});

async function hasSnapshots(run: TactusRun): Promise<boolean> {
  return unpackLog(await run.packedCheckpoints()).some(({ snapshot }) => snapshot !== undefined);
}

describe('a run whose log begins at a snapshot is tried again', () => {
  it.each([
    [
      'from the saga that it has taken back, whose compensations are compacted, too',
      `${units(8)}
      local said = writer("One").output
      Saga("trip", function(saga)
        saga.add_compensation("undo", function() ${units(8)} end)
        checkpoint(function() return "booked" end)
        ${units(8)}
        if not isMended then ${refused} end
      end)
      return { said = said, done = state.done }`,
      { at: '9', kept: 9, done: 16 },
    ],
    [
      'from a saga in a whole procedure',
      `trip = Procedure { whole = true, input = { n = field.number {} }, function(input)
        return Saga("trip", function(saga)
          saga.add_compensation("undo", function() ${units(8)} end)
          ${units(3)}
          if input.n == 3 and not isMended then ${refused} end
          return "travelled " .. input.n
        end)
      end }
      ${units(8)}
      local said = writer("One").output
      for n = 1, 4 do trip { n = n } end
      return { said = said, done = state.done }`,
      { at: '11.0', kept: null, done: 20 },
    ],
    [
      'from what failed before what was deferred, which is compacted',
      `${units(8)}
      local said = writer("One").output
      defer("tidy", function() ${units(8)} end)
      ${units(8)}
      if not isMended then ${refused} end
      return { said = said, done = state.done }`,
      { at: '17', kept: 17, done: 16 },
    ],
    [
      'from what people have given up',
      `${units(8)}
      local said = writer("One").output
      step("all", function()
        ${units(8)}
        if not isMended then ${refused} end
      end, { on_failure = "ask" })
      return { said = said, done = state.done }`,
      { at: '9.8', kept: null, done: 16 },
    ],
  ])('%s', async (_, body, { at, kept, done }) => {
    const run = await around.server.tactus.start(source(body, false), {}, { limits });
    if (body.includes('on_failure')) {
      const [asked] = await pendingOf(run, 1, 60_000);
      await run.decide({ request: asked?.id ?? '', value: 'give_up', by: 'ann' });
    }
    await expect(run.result()).rejects.toThrow('fetch failed');
    expect(await hasSnapshots(run)).toBe(true);
    const paid = calls();
    const mended = source(body, true);
    const retry = await readRetry(run, { source: mended });
    expect(retry.at).toBe(at);
    expect(retry.plan).toMatchObject({ diverges: null, fails: null, children: [] });
    if (kept !== null) expect(retry.plan.kept).toBe(kept);
    await around.server.tactus.retry(run.runId, { source: mended });
    expect(await run.result()).toEqual({ said: expect.stringMatching(/^said \d$/) as string, done });
    expect(calls()).toBe(paid);
    await soundExecutions(around.server.client, run);
  });
});

it('a child run whose log begins at a snapshot goes on with the run that is tried again', async () => {
  const body = `${units(20)}
    local said = writer("One").output
    if not isMended then ${refused} end
    ${units(8)}
    return { said = said, done = state.done }`;
  const made = (isMended: boolean): ProcedureSource => ({
    entry: 'main.tac',
    files: {
      'main.tac': 'Procedure { function(input) return Procedure.run("child.tac", {}) end }',
      'child.tac': text(body, isMended),
    },
  });
  const run = await around.server.tactus.start(made(false), {}, { limits });
  await expect(run.result()).rejects.toThrow('fetch failed');
  const child = attach(`${run.runId}/0`);
  expect(await hasSnapshots(child)).toBe(true);
  const paid = calls();
  await around.server.tactus.retry(run.runId, { source: made(true) });
  expect(await run.result()).toMatchObject({ done: 28 });
  expect(calls()).toBe(paid);
  // What the snapshots stand for is read where it was recorded.
  const { execution_log: all } = await child.log({ all: true });
  expect(all).toHaveLength(28 * 12 + 2);
  await soundExecutions(around.server.client, child);
  await soundExecutions(around.server.client, run);
});
