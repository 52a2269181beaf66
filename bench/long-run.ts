/**
 * `node bench/long-run.ts [rounds]`: a run of 20,000 effects (200 rounds of 100) under Temporal's own thresholds.
 * Prints the largest history and what an effect costs at the end, against the beginning.
 */
import { costBetween, effectsPerRound, runLong } from './measures/long-run.ts';
import { openStage } from './stage.ts';

const rounds = Number(process.argv[2] ?? 200);

const stage = await openStage();
const { run, result, times, seconds } = await runLong(stage, rounds);
console.log('result', JSON.stringify(result));
console.log(
  `${times.length} checkpoints in ${seconds.toFixed(0)} s, about ${rounds * effectsPerRound} effects`,
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
const tenth = Math.floor(times.length / 10);
const [first, last] = [
  costBetween(times, tenth, 2 * tenth),
  costBetween(times, times.length - tenth - 1, times.length - 1),
];
console.log(
  `an effect costs ${first.toFixed(1)} ms in the second tenth and ${last.toFixed(1)} ms in the last: ratio ${(last / first).toFixed(2)}`,
);
await stage.close();
process.exit(0);
