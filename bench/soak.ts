/**
 * `npm run bench -- soak [minutes] [suspended] [active]`: 10,000 runs that wait for a person and 1,000 under way for 20 minutes, on a Temporal server with
 * a process for each service on PostgreSQL, two workers and `serve`, with a collector and Prometheus. Each of these processes is killed by turns, but the last two. Says what was lost, and what
 * decisions, steps and memory cost beside workflows written by hand. `ROLES_TEST=required COLLECTOR_TEST=required npm test` builds what it needs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './measures/quantiles.ts';
import { printTable } from './measures/compare.ts';
import { soak, type Soaked } from './measures/soak.ts';
import { bundleBench, quiet } from './stage.ts';

const [minutes = 20, suspended = 10_000, active = 1_000] = process.argv.slice(2).map(Number);
quiet();
const folder = mkdtempSync(join(tmpdir(), 'bench-soak-'));
const bundle = join(folder, 'workflows.js');
writeFileSync(bundle, (await bundleBench()).code);

interface Figure {
  what: string;
  unit: string;
  of: (soaked: Soaked) => number;
}

const figures: Figure[] = [
  { what: 'decision to the end of its run, p50', unit: 'ms', of: ({ calm }) => quantile(calm, 0.5) },
  { what: 'decision to the end of its run, p95', unit: 'ms', of: ({ calm }) => quantile(calm, 0.95) },
  {
    ...{ what: 'the same while processes are killed, p50', unit: 'ms' },
    of: ({ killed }) => quantile(killed, 0.5),
  },
  {
    ...{ what: 'the same while processes are killed, p95', unit: 'ms' },
    of: ({ killed }) => quantile(killed, 0.95),
  },
  {
    ...{ what: 'a step, of many runs at once', unit: 'ms' },
    of: ({ stepsPerSecond }) => 1_000 / stepsPerSecond,
  },
  { what: 'memory of both workers', unit: 'MB', of: ({ bytes }) => bytes / 2 ** 20 },
];

const measured = {} as Record<'ours' | 'native', Soaked>;
for (const [who, type] of [
  ['ours', 'tactus'],
  ['native', 'nativeOrder'],
] as const) {
  const soaked = await soak({ type, bundle, folder }, { minutes, suspended, active });
  measured[who] = soaked;
  const { kills, runs, lost, steps, again, seen } = soaked;
  console.log(
    `${type}: ${runs} runs, ${steps} steps, ${kills} kills: ${lost} lost, ${again} steps done again`,
  );
  // Each of them takes long: whoever interrupts the other has this.
  for (const { what, unit, of } of figures) console.log(`  ${what}: ${of(soaked).toFixed(1)} ${unit}`);
  if (who === 'ours')
    console.log(`the collector has ${seen.runs} ended runs, Prometheus ${seen.series} series`);
}
const { ours, native } = measured;
printTable(
  ['procedure', 'by hand'],
  figures.map(({ what, unit, of }) => ({ what, unit, ours: of(ours), native: of(native) })),
);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
