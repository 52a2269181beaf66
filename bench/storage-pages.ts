/**
 * `npm run bench -- storage-pages [ADDRESS…]`: pages of 50 out of 100,000 records (`BENCH_RECORDS`), 200 of each kind (`BENCH_PAGES`). Without
 * addresses of memory (`memory:`), files and SQLite; else of storages by theirs (`postgres://…`, `redis://…`, `dynamodb:…`, `s3://…`, `cosmos://…`,
 * `firestore://…`), which are filled unless they have been. `servers` are those of the tests, which forget all (`SAMPLE=all` gives S3 the room for 100,000).
 * `temporal:` is a development server with so many runs, whose list is read without an index and with one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TemporalStorage } from '../dist/client/storage/temporal-storage.js';
import { openRunIndex, TactusClient } from '../dist/index.js';
import { startEndedRuns } from './measures/ended-runs.ts';
import { measurePages, nameOf, ownStorages } from './measures/own-storages.ts';
import { asQuantiles } from './measures/quantiles.ts';
import { measureLists, type ListTimes } from './measures/storage-lists.ts';
import { namedStorages } from './servers/named-storages.ts';
import { startServer } from './stage.ts';

type Row = [name: string, times: ListTimes];

const records = Number(process.env['BENCH_RECORDS'] ?? 100_000);
const pages = Number(process.env['BENCH_PAGES'] ?? 200);
/** The server takes seconds for one. */
const pagesOfServer = Math.min(pages, 5);
const named = await namedStorages(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'bench-storages-'));

console.log(
  `| 50 of ${records} records, p50 / p99 in ms | the first | any other | by status | by beginning | filled in | load |\n| --- | --- | --- | --- | --- | --- | --- |`,
);
try {
  for (const place of named.addresses.length === 0 ? ownStorages(folder) : named.addresses)
    for await (const row of place === 'temporal:' ? ofRuns() : ofStorage(place)) print(row);
} finally {
  await named.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function print([name, { filledMs, ...times }]: Row): void {
  const figures = [times.first, times.other, times.byStatus, times.byPrefix].map(asQuantiles);
  const cells = [name, ...figures, `${(filledMs / 1_000).toFixed(0)} s`, (loadavg()[0] ?? 0).toFixed(1)];
  console.log(`| ${cells.join(' | ')} |`);
}

async function* ofStorage(place: string): AsyncGenerator<Row> {
  yield [nameOf(place), await measurePages(place, records, pages)];
}

async function* ofRuns(): AsyncGenerator<Row> {
  // In a file: 100,000 runs in its memory it doesn't live through.
  const env = await startServer(join(folder, 'server.sqlite'));
  const index = await openRunIndex(join(folder, 'index.sqlite'));
  const measured = (client: TactusClient, count: number): Promise<ListTimes> =>
    measureLists(new TemporalStorage(client), { records, pages: count, status: 'TERMINATED' }, (runs) =>
      startEndedRuns(env, runs),
    );
  yield ['temporal', await measured(new TactusClient(env.client), pagesOfServer)];
  yield ['temporal, with an index', await measured(new TactusClient(env.client, { index }), pages)];
  await index.close();
  await env.teardown();
}
