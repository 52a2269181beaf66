/**
 * `npm run bench -- storages [ADDRESS…]`: what records cost in each storage: a checkpoint that is added to a log of 100 and to one of 20,000, beside what the
 * `FileStorage` of the reference takes; and runs that are mirrored, against runs that aren't. Pages of lists are `storage-pages`. Files and SQLite are measured
 * always, other storages by their addresses (`postgres://…`, `redis://…`, `dynamodb:…`, `s3://…`, `cosmos://…`, `firestore://…`), which may be emptied.
 * `npm run bench -- storages servers` has them in the servers and stand-ins of the tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureAppends } from './measures/storage-appends.ts';
import { measureMirroredRuns } from './measures/mirrored-runs.ts';
import { measureReferenceFiles } from './measures/reference-files.ts';
import { namedStorages } from './servers/named-storages.ts';
import { openStage } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-storages-'));
const named = await namedStorages(process.argv.slice(2));
const places = [`file:${join(folder, 'files')}`, `sqlite:${join(folder, 'runs.sqlite')}`, ...named.addresses];

const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

function appendRow(name: string, { short, long }: { short: number; long: number }): void {
  console.log(
    `| ${name} | ${short.toFixed(2)} ms | ${long.toFixed(2)} ms | ${(long / short).toFixed(2)} | ${load()} |`,
  );
}

console.log(
  '| a checkpoint, with | 100 before it | 20,000 before it | ratio | load |\n| --- | --- | --- | --- | --- |',
);
for (const place of places) appendRow(kindOf(place), await measureAppends(place));
appendRow("the reference's FileStorage", await measureReferenceFiles(join(folder, 'reference')));

const stage = await openStage();
try {
  console.log(
    '\n| 20 runs of 10 steps at once, mirrored to | runs/s | to nothing | ratio | load |\n| --- | --- | --- | --- | --- |',
  );
  for (const place of places) {
    const { mirrored, plain } = await measureMirroredRuns(stage, place);
    const figures = [mirrored, plain].map((perSecond) => perSecond.toFixed(1)).join(' | ');
    console.log(`| ${kindOf(place)} | ${figures} | ${(mirrored / plain).toFixed(2)} | ${load()} |`);
  }
} finally {
  await stage.close();
  await named.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function kindOf(place: string): string {
  return place.slice(0, place.indexOf(':'));
}
