/**
 * `npm run bench -- storage-pages [ADDRESS…]`: pages of 50 out of 100,000 records (`BENCH_RECORDS`), 200 of each kind (`BENCH_PAGES`). Without
 * addresses of memory (`memory:`), files and SQLite; else of storages by theirs (`postgres://…`, `redis://…`, `dynamodb:…`, `s3://…`, `cosmos://…`,
 * `firestore://…`), which are filled unless they have been; `servers` are those of the tests, which forget all (`SAMPLE=all` gives S3 the room for 100,000).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { asQuantiles } from './measures/quantiles.ts';
import { measureLists } from './measures/storage-lists.ts';
import { namedStorages } from './servers/named-storages.ts';

const records = Number(process.env['BENCH_RECORDS'] ?? 100_000);
const pages = Number(process.env['BENCH_PAGES'] ?? 200);
const named = await namedStorages(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'bench-storages-'));
const own = ['memory:', `file:${join(folder, 'files')}`, `sqlite:${join(folder, 'runs.sqlite')}`];

console.log(
  `| 50 of ${records} records, p50 / p99 in ms | the first | any other | by status | by beginning | filled in | load |\n| --- | --- | --- | --- | --- | --- | --- |`,
);
try {
  for (const place of named.addresses.length === 0 ? own : named.addresses) {
    const { filledMs, ...times } = await measureLists(place, records, pages);
    const figures = [times.first, times.other, times.byStatus, times.byPrefix].map(asQuantiles);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    const cells = [...figures, `${(filledMs / 1_000).toFixed(0)} s`, load];
    console.log(`| ${place.slice(0, place.indexOf(':'))} | ${cells.join(' | ')} |`);
  }
} finally {
  await named.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
