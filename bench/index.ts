/**
 * `npm run bench -- index`: what a question to the index takes that has 10,000 runs and 10,000 open requests, in a file;
 * in PostgreSQL too, where BENCH_POSTGRES names a database that may be emptied.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureIndex } from './measures/index-questions.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-index-'));
const database = process.env['BENCH_POSTGRES'];
const places = {
  file: join(folder, 'index.sqlite'),
  ...(database === undefined ? {} : { PostgreSQL: database }),
};
try {
  for (const [name, place] of Object.entries(places)) {
    console.log(`| ${name} | ms |\n| --- | --- |`);
    for (const { what, ms } of await measureIndex(place)) console.log(`| ${what} | ${ms.toFixed(2)} |`);
    console.log();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
