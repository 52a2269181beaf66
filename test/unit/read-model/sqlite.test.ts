import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import type { RunIndex } from '../../../src/read-model/run-index.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { runIndexSuite } from './run-index.suite.js';
import { aToldRun } from './told-run.fixture.js';

let path = '';
const open = (): Promise<RunIndex> => openRunIndex(path);

runIndexSuite(
  'an index in a file',
  () => {
    path = join(temporaryFolder('index'), 'deeper', 'index.sqlite');
    return open();
  },
  open,
);

async function withSchema(version: number): Promise<RunIndex> {
  path = join(temporaryFolder('index'), 'index.sqlite');
  const index = await open();
  await index.write([{ kind: 'told', run: aToldRun('r', 3) }]);
  await index.close();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE tactus_index SET value = '${version}' WHERE name = 'schema'`);
  database.close();
  return open();
}

it('is made anew where its tables are old, and left alone where they are newer', async () => {
  const old = await withSchema(0);
  expect(await old.counts()).toMatchObject({ runs: 0 });
  await old.close();
  const newer = await withSchema(99);
  await expect(newer.counts()).rejects.toMatchObject({ code: 'usage' });
  await newer.close();
});
