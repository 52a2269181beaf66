/**
 * `npm run bench -- tenants [runs]`: how long runs of three tenants take beside a fourth that keeps 300 runs open, on one worker with five slots for
 * calls. So many runs (20) of each are measured without and with it, for each way to set the server up. docs/production/tenants.md has the figures.
 */
import { quantile } from './measures/quantiles.ts';
import { measureNeighbours } from './measures/tenants.ts';
import { quiet, startModel } from './stage.ts';

const rounds = Number(process.argv[2] ?? 20);
const model = await startModel(200);

const fair = { 'matching.enableFairness': true };
const onePartition = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };
const ways = {
  'no keys': { settings: {}, keys: false },
  'keys, fairness on': { settings: fair, keys: true },
  'keys, fairness on, one partition': { settings: { ...fair, ...onePartition }, keys: true },
};

quiet();
console.log('| a run of a neighbour, s | p50 alone | beside | p95 alone | beside | p95, ratio |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [name, way] of Object.entries(ways)) {
  const { alone, beside } = await measureNeighbours(way, model.endpoint, rounds);
  const cells = [0.5, 0.95].flatMap((part) => [alone, beside].map((times) => quantile(times, part) / 1_000));
  const ratio = quantile(beside, 0.95) / quantile(alone, 0.95);
  console.log(`| ${[name, ...[...cells, ratio].map((cell) => cell.toFixed(2))].join(' | ')} |`);
}
model.close();
process.exit(0);
