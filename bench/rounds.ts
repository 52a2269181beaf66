/**
 * `node bench/rounds.ts [graph|loop|passes] [effects]`: a run of 20,000 effects, 20 in each round, as a graph, a durable loop or a
 * procedure that begins again. Prints what an effect costs at the end against the beginning, what executions are handed, and how
 * long a new worker takes to go on.
 */
import { TactusClient } from '../dist/client/tactus-client.js';
import { openStage, openWorker } from './stage.ts';

const kind = process.argv[2] ?? 'graph';
const effects = Number(process.argv[3] ?? 20_000);
const effectsPerRound = 20;
const taskQueue = 'bench-rounds';

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
        state.n = state.n + 1
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
const worker = await openWorker(stage, taskQueue);
const started = Date.now();
const run = await worker.runUntil(async () => {
  const begun = await client.start(source, { rounds });
  console.log('result', JSON.stringify(await begun.result()));
  return begun;
});
const seconds = (Date.now() - started) / 1_000;

const executions: { id: string; began: number; bytes: number }[] = [];
for await (const { runId, startTime } of stage.env.client.workflow.list({
  query: `WorkflowId = '${run.runId}'`,
})) {
  const { events } = await stage.env.client.workflow.getHandle(run.runId, runId).fetchHistory();
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  const bytes = (input?.payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
  executions.push({ id: runId, began: startTime.getTime(), bytes });
}
executions.sort((a, b) => a.began - b.began);
const handed = executions.slice(1).map(({ bytes }) => bytes);
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
console.log(`${kind}: ${effects} effects in ${seconds.toFixed(0)} s, ${executions.length} executions`);
if (handed.length > 0)
  console.log(
    `handed over: ${kilobytes(handed[0] ?? 0)} first, ${kilobytes(handed.at(-1) ?? 0)} last, ${kilobytes(Math.max(...handed))} at most`,
  );

// Each execution is asked by itself: it has the times of its own checkpoints.
const again = await openWorker(stage, taskQueue);
await again.runUntil(async () => {
  const times: number[] = [];
  const asked = Date.now();
  const last = await run.inExecution(executions.at(-1)?.id ?? '').log();
  console.log(`a new worker answers for the last execution after ${Date.now() - asked} ms`);
  for (const page of [await run.inExecution(executions[0]?.id ?? '').log(), last])
    for (const { timestamp } of page.execution_log) times.push(Date.parse(timestamp));
  const first = times.slice(0, 1_000);
  const end = times.slice(-1_000);
  const cost = (of: readonly number[]): number => ((of.at(-1) ?? 0) - (of[0] ?? 0)) / of.length;
  console.log(
    `an effect costs ${cost(first).toFixed(2)} ms among the first ${first.length} and ${cost(end).toFixed(2)} ms among the last ${end.length}: ratio ${(cost(end) / cost(first)).toFixed(2)}`,
  );
});
await stage.close();
process.exit(0);
