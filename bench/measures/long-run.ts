import { setTimeout as pause } from 'node:timers/promises';
import { TactusClient, type TactusRun } from '../../dist/index.js';
import { openWorker, type Stage } from '../stage.ts';
import type { Growth, Sizes } from './growth.ts';

export const effectsPerRound = 100;
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

export interface LongRun {
  run: TactusRun;
  result: unknown;
  /** When each checkpoint was, in order, in ms since 1970. */
  times: number[];
  seconds: number;
}

/** A run of so many rounds under Temporal's own thresholds, from its begin to its end. */
export async function runLong(stage: Stage, rounds: number): Promise<LongRun> {
  const worker = await openWorker(stage, taskQueue);
  return worker.runUntil(async () => {
    const client = new TactusClient(stage.env.client, { taskQueue });
    const started = Date.now();
    const run = await client.start(source, { rounds });
    let isOver = false;
    const ended = run.result().finally(() => (isOver = true));
    while (!isOver) {
      await pause(250);
      for (const request of await client.pending(run.runId).catch(() => []))
        await client.decide({ request: request.id, value: true });
    }
    const result = await ended;
    const seconds = (Date.now() - started) / 1_000;
    const { execution_log: log } = await run.log();
    const times = log.map(({ timestamp }) => Date.parse(timestamp)).sort((a, b) => a - b);
    return { run, result, times, seconds };
  });
}

/** What a checkpoint cost between two of them, in ms. */
export function costBetween(times: readonly number[], from: number, to: number): number {
  return ((times[to] ?? 0) - (times[from] ?? 0)) / (to - from);
}

/** An effect among the first of a run and among its last: sizes are how many of either, and of all. */
export async function measureLongRun(stage: Stage, [some, all]: Sizes): Promise<Growth[]> {
  const { times } = await runLong(stage, Math.ceil(all / effectsPerRound));
  const last = times.length - 1;
  return [
    {
      ...{ what: 'an effect among the first and among the last', unit: 'ms' },
      small: costBetween(times, 0, some),
      large: costBetween(times, last - some, last),
    },
  ];
}
