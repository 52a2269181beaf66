import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../../src/client/tactus-client.js';
import type { CheckpointFilter } from '../../../../src/client/storage/storage-backend.js';
import { TemporalStorage } from '../../../../src/client/storage/temporal-storage.js';
import { openRunIndex } from '../../../../src/read-model/open-run-index.js';
import { isWhole } from '../../../support/sampled.js';
import { soonDeleted } from '../../../support/soon-deleted.js';
import { startDevServer, type TestServer } from '../../../support/test-server.js';
import { startWorker, type TestWorker } from '../../../support/test-worker.js';
import { describeStorageBackend } from '../../../unit/client/storage/storage-backend.suite.js';
import { ToldRuns } from './told-runs.js';

let server: TestServer;
let worker: TestWorker;
const places = new Map<string, ToldRuns>();

const ownLog = 'the log of a run is what it has done';

describe('with a development server', () => {
  beforeAll(async () => {
    server = await startDevServer({ extraArgs: soonDeleted });
    worker = await startWorker(server);
  });
  afterAll(async () => {
    await worker?.stop();
    await server?.stop();
  });

  describeStorageBackend({
    name: 'Temporal',
    real: 'runs on a development server',
    many: isWhole ? 2_000 : 200,
    open: (place) => {
      const runs = places.get(place) ?? new ToldRuns(server, place);
      places.set(place, runs);
      return runs;
    },
    unable: [
      [/gives back what was saved|without touching the rest|form of the design document/, ownLog],
      [/entries at the end|entries before are missing|changes of other kinds|far beyond/, ownLog],
      [/of a (thread|ledger)/, ownLog],
      [/20,000 entries|entries in any order|an entry in place|nothing but how it stands/, ownLog],
      [/with nothing done|an entry of 5 MB|opens it later/, ownLog],
      [/something comes late|the same comes again|whoever else has it open|writes at once/, ownLog],
      [/nobody says when|that was reset|had no order|many procedures at once/, ownLog],
      [/several tell at once|log that grows|deleted and saved by turns/, ownLog],
      [/fills in what they lack|what it does not know|another is saved in place|any numbers from 0/, ownLog],
      [
        /and refuses .*, keeping what it has|after a change that was refused/,
        'a run is told nothing like that',
      ],
      [/and text|question to a database|each procedure where it stands/, 'a run has statuses of its own'],
      [/no change of one procedure$/, 'a run that has failed takes no more'],
      [/10 MB|nested deeply/, 'no event of a run has so much'],
      [
        /nul\\u0000byte|\(1000\)|\(500\)|never takes one for another/,
        'Temporal takes no such id, or none so long',
      ],
    ],
  });

  it('lists from an index what it lists from the server, and of both what begins with any characters', async () => {
    const place = 'odd"\\\n';
    const runs = new ToldRuns(server, place);
    const ids = ['a', 'ab', 'b', '\u{1f600}'];
    for (const id of ids) await runs.saveCheckpoint(id, { status: id === 'b' ? 'FAILED' : 'COMPLETED' });
    const index = await openRunIndex(':memory:');
    for (const tactus of [server.tactus, new TactusClient(server.client, { index })]) {
      const storage = new TemporalStorage(tactus);
      const listed = async (filter: CheckpointFilter): Promise<string[]> => {
        const found = await storage.listCheckpoints({ prefix: `${place}/`, ...filter });
        return found.map((id) => id.slice(place.length + 1));
      };
      expect(await listed({})).toEqual(ids);
      expect(await listed({ status: 'FAILED' })).toEqual(['b']);
      expect(await listed({ after: `${place}/a`, limit: 1 })).toEqual(['ab']);
      expect(await listed({ prefix: `${place}/a` })).toEqual(['a', 'ab']);
      expect(await listed({ prefix: `${place}/a`, after: `${place}/ab` })).toEqual([]);
      expect(await tactus.count({ prefix: `${place}/` })).toEqual({
        ...{ runs: 4, by_status: { completed: 3, failed: 1 } },
      });
    }
    await index.close();
  });
});
