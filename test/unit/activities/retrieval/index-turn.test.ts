import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { IndexFile, indexName, type IndexIdentity } from '../../../../src/activities/retrieval/index-file.js';
import { inTurn } from '../../../../src/activities/retrieval/retrieve.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const never = new AbortController().signal;

it('a turn that can not be renewed ends what is done in it, and not the process', async () => {
  const folder = temporaryFolder('index-turn');
  const identity: IndexIdentity = {
    corpus: { folder, name: 'texts' },
    setup: { id: 'tf-vector', chunking: { by: 'whole' }, embedding: null },
    model: null,
  };
  const index = await IndexFile.open(folder, identity);
  const other = new DatabaseSync(join(folder, indexName(identity)));
  const done = inTurn(index, never, async (stillMine) => {
    // Another process writes for longer than anybody waits.
    other.exec('BEGIN IMMEDIATE');
    try {
      for (;;) {
        stillMine();
        await delay(50);
      }
    } finally {
      other.exec('ROLLBACK');
    }
  });
  await expect(done).rejects.toMatchObject({ code: 'ERR_SQLITE_ERROR' });
  const next = inTurn(index, never, async (stillMine) => {
    await delay(0);
    stillMine();
    return 'mine';
  });
  expect(await next).toBe('mine');
  other.close();
  index.close();
});
