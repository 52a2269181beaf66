/**
 * `node bench/long-run.ts [rounds]`: a run of 20,000 effects (200 rounds of 100) under Temporal's own thresholds.
 * Prints the largest history and what an effect costs at the end, against the beginning.
 */
import { TactusClient } from '../dist/client/tactus-client.js';
import { openStage, openWorker } from './stage.ts';

const rounds = Number(process.argv[2] ?? 200);
const effectsPerRound = 100;
const taskQueue = 'bench-long-run';

const source = {
  entry: 'long-run.tac',
  files: {
    'long-run.tac': `m = Model { type = "mock", value = {score = 0.5} }
tally = Tool { description = "adds", input = { n = field.number{required = true} }, function(args)
  return { total = (state.total or 0) + args.n }
end }
Procedure {
  input = { rounds = field.integer{required = true} },
  output = { total = field.number{}, files = field.integer{}, approvals = field.integer{} },
  function(input)
    local files, approvals = 0, 0
    for round = 1, input.rounds do
      local items = {}
      for b = 1, 50 do items[b] = b end
      local scores = Parallel.map(items, function(b) return m({ b = b }).output.score end, { concurrency = 25 })
      for i = 1, 24 do
        if not File.exists("missing-" .. i) then files = files + 1 end
        state.total = tally({ n = scores[i] }).total
      end
      Sleep(0.001)
      if round == 2 or round == input.rounds then
        if Human.approve("round " .. round .. "?") then approvals = approvals + 1 end
      end
      print(round)
    end
    return { total = state.total, files = files, approvals = approvals }
  end
}`,
  },
};

const stage = await openStage();
const worker = await openWorker(stage, taskQueue);
await worker.runUntil(async () => {
  const client = new TactusClient(stage.env.client, { taskQueue });
  const started = Date.now();
  const run = await client.start(source, { rounds });
  let isOver = false;
  const result = run.result().finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const request of await client.pending(run.runId).catch(() => []))
      await client.decide({ request: request.id, value: true });
  }
  console.log('result', JSON.stringify(await result));
  const { execution_log: log } = await run.log();
  console.log(
    `${log.length} checkpoints in ${((Date.now() - started) / 1_000).toFixed(0)} s, about ${rounds * effectsPerRound} effects`,
  );
  let [executions, longest, largest] = [0, 0, 0];
  for await (const { historyLength, historySize } of stage.env.client.workflow.list({
    query: `WorkflowId = '${run.runId}'`,
  })) {
    executions++;
    longest = Math.max(longest, historyLength);
    largest = Math.max(largest, historySize ?? 0);
  }
  console.log(
    `${executions} executions; the longest history has ${longest} events, the largest ${(largest / 2 ** 20).toFixed(2)} MiB`,
  );
  const times = log.map(({ timestamp }) => Date.parse(timestamp)).sort((a, b) => a - b);
  const tenth = Math.floor(times.length / 10);
  const cost = (from: number, to: number): number => ((times[to] ?? 0) - (times[from] ?? 0)) / (to - from);
  const [first, last] = [cost(tenth, 2 * tenth), cost(times.length - tenth - 1, times.length - 1)];
  console.log(
    `an effect costs ${first.toFixed(1)} ms in the second tenth and ${last.toFixed(1)} ms in the last: ratio ${(last / first).toFixed(2)}`,
  );
});
await stage.close();
process.exit(0);
