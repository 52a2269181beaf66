import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityExecuteInput, Next, ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { signalNames, workflowType } from '../../../src/contract/names.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import type { StartInput } from '../../../src/contract/runs/start-input.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { sampled } from '../../support/sampled.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** After 80 % of it the worker asks for another task, while a local activity goes on. */
const workflowTaskTimeout = '1s';
const slowMs = 2_500;
/** Within each of the tasks, before the end of the last but one, and just before the end. */
const moments = [0.1, 0.45, 0.7, 0.8, 0.9, 0.97];

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { worker: { interceptors: { activity: [slowFiles] } } });
});

afterAll(async () => {
  await worker.stop();
  await server.stop();
});

/** Files whose name says so take their time. */
function slowFiles(): { inbound: ActivityInboundCallsInterceptor } {
  return {
    inbound: {
      async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
        if (JSON.stringify(input.args).includes('slow')) await delay(slowMs);
        return next(input);
      },
    },
  };
}

interface Case {
  what: string;
  source: ProcedureSource;
  output: JsonValue;
  historyEvents?: number;
}

/** Each is asked for a decision at `0.0.0`, which comes while the file is being looked for. */
const cases: Case[] = [
  {
    what: 'a decision before its timeout',
    source: procedureOf(`return Parallel{
      function() return Human.approve{ message = "Go?", timeout = 600 } end,
      function() local found = File.exists("slow") Sleep(0.1) return found end,
    }`),
    output: [true, false],
  },
  {
    what: 'a decision, and its branch goes on',
    source: procedureOf(`return Parallel{
      function()
        local go = Human.approve{ message = "Go?", timeout = 600 }
        Sleep(0.1)
        return go
      end,
      function() local found = File.exists("slow") Sleep(0.1) return found end,
    }`),
    output: [true, false],
  },
  {
    what: 'a decision for a branch that is given up',
    source: procedureOf(`
      local ok, problem = pcall(function()
        Parallel{
          function() return Human.approve{ message = "Go?", timeout = 600 } end,
          function() File.exists("slow") error("no") end,
        }
      end)
      Sleep(0.1)
      return { ok = ok }`),
    output: { ok: false },
  },
  {
    what: 'a missing file that ends all branches',
    source: procedureOf(
      `
      local ok, problem = pcall(function()
        Parallel{
          function() return Human.approve{ message = "Go?", timeout = 600 } end,
          function() return Procedure.run("child.tac", {}) end,
          function() Sleep(1.2) end,
          function() Sleep(0.5) Sleep(0.8) end,
          function() File.read("slow") end,
        }
      end)
      Sleep(0.1)
      return { ok = ok }`,
      { 'child.tac': 'Procedure { function() return 1 end }' },
    ),
    output: { ok: false },
  },
  {
    what: 'a decision, and a file is missing',
    source: procedureOf(`return Parallel{
      function() return Human.approve{ message = "Go?", timeout = 600 } end,
      function() local ok = pcall(File.read, "slow") Sleep(0.1) return ok end,
    }`),
    output: [true, false],
  },
  {
    what: 'a decision, and child runs that are looked at and waited for',
    source: procedureOf(
      `return Parallel{
        function() local go = Human.approve{ message = "Go?", timeout = 600 } Sleep(0.1) return go end,
        function()
          local h = Procedure.spawn("child.tac", { s = 0.5 })
          while not Procedure.is_complete(h) do end
          return Procedure.wait(h).ok
        end,
        function()
          local hs = { Procedure.spawn("child.tac", { s = 0.2 }), Procedure.spawn("child.tac", { s = 60 }) }
          local first = Procedure.wait_any(hs) == hs[1]
          local ok = pcall(Procedure.wait, hs[2], { timeout = 1 })
          Procedure.cancel(hs[2])
          return { first, ok, Procedure.is_complete(hs[2]) }
        end,
        function() local found = File.exists("slow") Sleep(0.1) return found end,
      }`,
      { 'child.tac': 'Procedure { function(input) Sleep(input.s) return { ok = true } end }' },
    ),
    output: [true, true, [true, false, true], false],
  },
];

describe('what comes while a local activity outlives its workflow task', () => {
  it.concurrent.each(
    sampled(
      cases.flatMap((each, index) =>
        moments.map((moment) => ({ ...each, moment, name: `${index}-${moment}` })),
      ),
      3,
    ),
  )('$what, after $moment of its time', async ({ source, output, moment, name }) => {
    const runId = `extended-${name}`;
    const handle = await start(runId, { source, searchAttributes: true });
    await delay(slowMs * moment);
    await handle.signal(signalNames.decide, { request: `${runId}/0.0.0`, value: true });
    expect(await handle.result()).toEqual(output);
    await expectReplay(runId);
  });

  it('the end of a request’s time, and a look at a child', async () => {
    const source = procedureOf(
      `
      local done = Parallel{
        function() return Procedure.run("child.tac", {}).ok end,
        function()
          for i = 1, 61 do File.exists("note-" .. i) end
          Sleep(1)
          for _ = 1, 3 do File.exists("slow") end
          return Human.approve{ message = "Go?", timeout = 1, default = true }
        end,
        function() return Human.approve{ message = "Go?", timeout = 4, default = true } end,
      }
      Sleep(0.1)
      return done`,
      { 'child.tac': 'Procedure { function() Sleep(16) return { ok = true } end }' },
    );
    const runId = 'extended-look';
    const handle = await start(runId, { source, limits: { historyEvents: 60 } });
    expect(await handle.result()).toEqual([true, true, true]);
    const histories = await expectReplay(runId);
    expect(histories.length).toBeGreaterThan(1);
    const events = histories.flatMap((history) => history.events ?? []);
    const looks = events.filter(
      ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'lookAtRuns',
    );
    expect(looks.length).toBeGreaterThan(0);
  });
});

function start(runId: string, input: StartInput) {
  return server.client.workflow.start(workflowType, {
    args: [input],
    workflowId: runId,
    taskQueue: 'tactus',
    workflowTaskTimeout,
  });
}

async function expectReplay(runId: string) {
  const histories = await historiesOf(server.client, runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, { runId })).toEqual([]);
  return histories;
}
