/**
 * `node bench/rounds.ts [graph|loop|passes] [effects] [kills]`: a run of 20,000 effects, 20 in each round, as a graph, a durable loop
 * or a procedure that begins again. Prints what an effect costs at the end against the beginning, what executions are handed, and how
 * long a new worker takes to go on. With kills, workers are processes of their own, and so many of them are killed on the way.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { temporal } from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { TactusClient } from '../dist/client/tactus-client.js';
import { bundleBench, createBenchWorker, openStage, openWorker, quiet, type Stage } from './stage.ts';

const [kind = 'graph', wanted = '20000', killed = '0'] = process.argv.slice(2);
const effects = Number(wanted);
const kills = Number(killed);
const effectsPerRound = 20;
const taskQueue = 'bench-rounds';

if (kind === 'worker') {
  quiet();
  const connection = await NativeConnection.connect({ address: wanted });
  await (await createBenchWorker(connection, await bundleBench(), taskQueue)).run();
}

const work = `
  for k = 1, 17 do state.sum = (state.sum or 0) + checkpoint(function() return k end) end
  File.exists("missing")
  File.exists("absent")`;

const procedures: Record<string, string> = {
  graph: `main = Graph {
    channels = { n = Graph.last, rounds = Graph.last, notes = Graph.bounded(10) },
    max_steps = 1000000,
    nodes = {
      work = function(values)
        ${work}
        local n = (values.n or 0) + 1
        return { writes = { n = n, notes = { "note " .. n } }, next = n < values.rounds and "work" or nil }
      end,
    },
  }`,
  loop: `Procedure {
    input = { rounds = field.integer{} },
    function(input)
      return DurableLoop {
        request = { rounds = input.rounds },
        body = function(request, session)
          ${work}
          state.n = (state.n or 0) + 1
          session.slice("notes", { reducer = "replace_latest" }).append { n = state.n }
          if state.n == request.rounds then return { n = state.n } end
        end,
      }
    end,
  }`,
  passes: `Procedure {
    input = { rounds = field.integer{} },
    state = { n = field.integer{default = 0} },
    function(input)
      for round = 1, 50 do
        ${work}
        state.n = checkpoint(function() return state.n + 1 end)
        if state.n == input.rounds then return { n = state.n } end
      end
      Procedure.continue_as_new(input)
    end,
  }`,
};

const stage = await openStage();
const source = { entry: 'rounds.tac', files: { 'rounds.tac': procedures[kind] ?? '' } };
const client = new TactusClient(stage.env.client, { taskQueue });
const rounds = Math.ceil(effects / effectsPerRound);
const started = Date.now();
const run = await client.start(source, { rounds });
const result =
  kills > 0 ? await killing(stage) : await (await openWorker(stage, taskQueue)).runUntil(() => run.result());
console.log('result', JSON.stringify(result));
const seconds = (Date.now() - started) / 1_000;

/** Waits for the end of the run, and kills its workers on the way, after equal parts of it. */
async function killing({ env }: Stage): Promise<unknown> {
  const begin = (): ChildProcess =>
    spawn(process.execPath, [fileURLToPath(import.meta.url), 'worker', env.address], { stdio: 'inherit' });
  let worker = begin();
  let isOver = false;
  const result = run.result().finally(() => (isOver = true));
  for (let kill = 1; kill <= kills && !isOver;) {
    const { checkpoints } = await run.status().catch(() => ({ checkpoints: 0 }));
    if (checkpoints < (kill * effects) / (kills + 1)) {
      await pause(200);
      continue;
    }
    worker.kill('SIGKILL');
    console.log(`killed after ${checkpoints} checkpoints, ${Math.round((Date.now() - started) / 1_000)} s`);
    worker = begin();
    kill++;
  }
  await result;
  worker.kill('SIGKILL');
  return result;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const timeOf = ({ eventTime }: HistoryEvent): number =>
  Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6;

/** When a worker had the execution, in ms since 1970: the server begins one execution of a run in a second at most. */
const takenAt = (events: readonly HistoryEvent[]): number =>
  timeOf(events.find(({ workflowTaskStartedEventAttributes: started }) => started) ?? {});

const executions: { id: string; began: number; bytes: number; takenAt: number; workMs: number }[] = [];
for await (const { runId, startTime } of stage.env.client.workflow.list({
  query: `WorkflowId = '${run.runId}'`,
})) {
  const { events } = await stage.env.client.workflow.getHandle(run.runId, runId).fetchHistory();
  const taken = takenAt(events ?? []);
  const workMs = timeOf(events?.at(-1) ?? {}) - taken;
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  const bytes = (input?.payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
  executions.push({ id: runId, began: startTime.getTime(), bytes, takenAt: taken, workMs });
}
executions.sort((a, b) => a.began - b.began);
const handed = executions.slice(1).map(({ bytes }) => bytes);
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
console.log(`${kind}: ${effects} effects in ${seconds.toFixed(0)} s, ${executions.length} executions`);
if (handed.length > 0)
  console.log(
    `handed over: ${kilobytes(handed[0] ?? 0)} first, ${kilobytes(handed.at(-1) ?? 0)} last, ${kilobytes(Math.max(...handed))} at most`,
  );
// One execution alone says little on a busy machine.
const several = 10;
if (kind === 'passes' && executions.length >= 2 * several) {
  const medianOf = (some: typeof executions): number =>
    some.map(({ workMs }) => workMs).sort((a, b) => a - b)[several >> 1] ?? 0;
  const [begin, finish] = [executions.slice(0, several), executions.slice(-several)].map(medianOf);
  console.log(
    `a pass takes ${begin?.toFixed(0)} ms among the first ${several} and ${finish?.toFixed(0)} ms among the last ${several}, by their medians: ratio ${((finish ?? 0) / (begin ?? 1)).toFixed(2)}`,
  );
}

// Each execution is asked by itself: it has the times of its own checkpoints. The clock of a procedure that begins again stands
// at the end of its last checkpoint until its next: the wait for a worker is not what an effect costs.
const again = await openWorker(stage, taskQueue);
await again.runUntil(async () => {
  const timesIn = async (execution: (typeof executions)[number] | undefined): Promise<number[]> => {
    if (execution === undefined) return [];
    const { execution_log: entries } = await run.inExecution(execution.id).log();
    return entries.map(({ timestamp }) => Math.max(Date.parse(timestamp), execution.takenAt));
  };
  const asked = Date.now();
  const end = (await timesIn(executions.at(-1))).slice(-1_000);
  console.log(`a new worker answers for the last execution after ${Date.now() - asked} ms`);
  const first = (await timesIn(executions[0])).slice(0, 1_000);
  const cost = (of: readonly number[]): number => ((of.at(-1) ?? 0) - (of[0] ?? 0)) / of.length;
  console.log(
    `an effect costs ${cost(first).toFixed(2)} ms among the first ${first.length} and ${cost(end).toFixed(2)} ms among the last ${end.length}: ratio ${(cost(end) / cost(first)).toFixed(2)}`,
  );
});
await stage.close();
process.exit(0);
