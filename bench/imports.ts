/** `npm run bench -- imports`: what it costs to import each entry of the package, in a process of its own. */
import { execFileSync } from 'node:child_process';
import { median } from './measures/compare.ts';

const rounds = 7;
const entries = ['', '/worker', '/testing', '/workflow'].map((entry) => `tactus-temporal${entry}`);
/** What an application has already that talks to Temporal itself. */
const baseline = '@temporalio/client';

interface Cost {
  ms: number;
  rssMb: number;
  heapMb: number;
}

function importOnce(entry: string): Cost {
  const script = `
    const { rss, heapUsed } = process.memoryUsage();
    const start = performance.now();
    await import(${JSON.stringify(entry)});
    const ms = performance.now() - start;
    gc();
    const now = process.memoryUsage();
    console.log(JSON.stringify({ ms, rssMb: (now.rss - rss) / 2 ** 20, heapMb: (now.heapUsed - heapUsed) / 2 ** 20 }));`;
  const args = ['--expose-gc', '--input-type=module', '--eval', script];
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }),
  ) as Cost;
}

console.log('| entry | time | memory of the process | JavaScript heap |\n| --- | --- | --- | --- |');
for (const entry of [baseline, ...entries]) {
  const costs = Array.from({ length: rounds }, () => importOnce(entry));
  const of = (key: keyof Cost): number => median(costs.map((cost) => cost[key]));
  console.log(
    `| ${entry} | ${of('ms').toFixed(0)} ms | ${of('rssMb').toFixed(0)} MB | ${of('heapMb').toFixed(1)} MB |`,
  );
}
