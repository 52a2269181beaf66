/**
 * `npm run bench -- decisions [rounds] [open requests …]`: from the sending of a decision to its verdict, and to the effect of the line that follows it in Lua (a call over HTTP),
 * with 1, 100 and 1,000 requests open: all in one run, and in as many runs. Decided one by one, by Update; p50 and p99 of each round.
 */
import { loadavg } from 'node:os';
import { measureDecisions, type Where } from './measures/people-decisions.ts';
import { asQuantiles } from './measures/quantiles.ts';
import { openStage } from './stage.ts';

const [rounds = 3, ...named] = process.argv.slice(2).map(Number);
const counts = named.length === 0 ? [1, 100, 1_000] : named;
const places: Where[] = ['one run', 'as many runs'];

const stage = await openStage();
console.log('| open requests | where | verdict, p50 / p99 | next line, p50 / p99 | load |');
console.log('| --- | --- | --- | --- | --- |');
try {
  for (const where of places)
    for (const count of counts)
      for (let round = 0; round < rounds; round++) {
        const { verdict, nextLine } = await measureDecisions(stage, count, where);
        const [load = 0] = loadavg();
        const cells = [count, where, asQuantiles(verdict), asQuantiles(nextLine), load.toFixed(1)];
        console.log(`| ${cells.join(' | ')} |`);
      }
} finally {
  await stage.close();
}
process.exit(0);
