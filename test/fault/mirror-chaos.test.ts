import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcileStorage } from '../../src/client/storage/reconcile-storage.js';
import { countRuns } from '../../src/client/lists/server-runs.js';
import { readGraphState } from '../../src/client/graphs/graph-state.js';
import { grpcErrorOf } from '../../src/client/runs/run-errors.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import type { LedgerEventView } from '../../src/contract/graphs/ledger.js';
import { readLedger } from '../../src/client/storage/ledger.js';
import { openStorage } from '../../src/client/storage/open-storage.js';
import type { StorageBackend } from '../../src/client/storage/storage-backend.js';
import { searchAttributeNames, signalNames, workflowType } from '../../src/contract/names.js';
import { PostgresConnection } from '../../src/read-model/postgres-connection.js';
import type { SqlConnection } from '../../src/read-model/sql-connection.js';
import { SqliteConnection } from '../../src/read-model/sqlite-connection.js';
import { startChildWorker, type ChildWorker } from '../support/child-worker.js';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres-server.js';
import { procedureOf } from '../support/procedure-source.js';
import { isWhole, sampled } from '../support/sampled.js';
import { seededRandom } from '../support/seeded-random.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';
import { eachOf } from './each-of.js';
import { expectedRecord } from './mirror-chaos/expected-record.js';
import { goneBack, watchRecords } from './mirror-chaos/watched-records.js';

/**
 * Whatever becomes of a storage and of those who write it, its records never go back, and after `reconcileStorage` they are what the runs are.
 * A part of 2,000 runs: `SAMPLE=all npm test -- test/fault/mirror-chaos` has all of them, and in PostgreSQL as well.
 */
const all = Array.from({ length: 2_000 }, (_, i) => `r${String(i).padStart(4, '0')}`);
const ids = sampled(all, 20);
const seed = Number(process.env['SAMPLE_SEED'] ?? 1);
const workers = 2;
const atOnce = 20;
const patienceMs = isWhole ? 1_200_000 : 120_000;

const source = procedureOf(`
  local guess = Model { type = "mock", value = { text = "grün" } }
  local audit = Graph { channels = { n = Graph.last }, nodes = {
    first = function(state) return { next = "second", ledger = { { topic = "a", key = "first " .. state.n } } } end,
    second = function(state)
      return { ledger = { { topic = "b", key = "second " .. state.n }, { topic = "a", key = "third " .. state.n } } }
    end,
  } }
  for i = 1, 3 do
    state["key " .. i] = guess({ n = i }).output.text
    Step.checkpoint(function() return { i, { deep = { i } } } end)
  end
  state.answer = Human.approve("Go on?")
  for i = 1, input.steps do Step.checkpoint(function() state.n = i; return i end) end
  guess({ last = true })
  for i = 1, 3 do audit({ n = i }) end
  if input.fails then error("as it was told") end
  return state.n`);
const approval = 6;

/** What becomes of a run, once it waits. */
const fates = [
  'answered',
  'answered',
  'long',
  'failed',
  'cancelled',
  'terminated',
  'timed out',
  'again',
  'open',
] as const;
type Fate = (typeof fates)[number];
const fateOf = (runId: string): Fate => fates[all.indexOf(runId) % fates.length] ?? 'open';
const inputOf = (fate: Fate) => ({ steps: fate === 'long' ? 80 : 5, fails: fate === 'failed' });

let server: TestServer;
let reader: TestWorker | null = null;

beforeEach(async () => {
  server = await startDevServer();
});
afterEach(async () => {
  await reader?.stop();
  reader = null;
  await server?.stop();
});

/** Workers that kill themselves in the midst of writes, again and again. */
async function mortals(
  place: string,
  taskQueue: string,
): Promise<{ deaths: () => number; end: () => Promise<void> }> {
  const random = seededRandom(seed);
  let deaths = 0;
  let goesOn = true;
  const current = new Set<ChildWorker>();
  const live = async (nth: number): Promise<void> => {
    for (let life = 0; goesOn; life++) {
      const storage = {
        place,
        seed: seed + 100 * life + nth,
        killAt: 30 + Math.floor(random() * ids.length),
      };
      const child = await startChildWorker({
        address: server.env.address,
        taskQueue,
        filesRoot: '/nonexistent',
        storage,
      });
      current.add(child);
      await child.ended;
      current.delete(child);
      if (goesOn) deaths++;
    }
  };
  const lives = Array.from({ length: workers }, (_, nth) => live(nth));
  return {
    deaths: () => deaths,
    end: async () => {
      goesOn = false;
      const ended = Promise.all(lives);
      while (await Promise.race([ended.then(() => false), delay(50).then(() => true)]))
        for (const child of current) await child.kill();
    },
  };
}

async function withFates(
  runs: readonly string[],
  fate: Fate,
  act: (runId: string) => Promise<unknown>,
): Promise<void> {
  const theirs = runs.filter((runId) => fateOf(runId.slice(1)) === fate);
  await eachOf(theirs, atOnce, async (runId) => (await act(runId), true));
}

interface Place {
  name: string;
  storage: StorageBackend;
  place: string;
  watched: SqlConnection;
  disturb: () => Promise<unknown>;
}

/** What the log of a run has of its ledger; nothing where it ended before any worker had it. */
async function ledgerOf(run: TactusRun): Promise<LedgerEventView[]> {
  try {
    return (await readGraphState(run)).ledger;
  } catch (error) {
    if (grpcErrorOf(error)?.details.includes('closed before WorkflowTaskStarted') === true) return [];
    throw error;
  }
}

async function survives({ name, storage, place, watched, disturb }: Place): Promise<void> {
  const prefix = name.charAt(0);
  const runs = ids.map((id) => prefix + id);
  const { client } = server;
  const count = (term: string) => countRuns(client, [`WorkflowId STARTS_WITH '${prefix}r'`, term]);
  const started = performance.now();
  const dying = await mortals(place, 'tactus');
  const disturbing = setInterval(() => void disturb(), 2_000);
  await eachOf(runs, atOnce, async (runId) => {
    const fate = fateOf(runId.slice(1));
    const limits = fate === 'long' ? { historyEvents: 60 } : {};
    const timeout = fate === 'timed out' ? { timeout: isWhole ? '400s' : '25s' } : {};
    await server.tactus.start(source, inputOf(fate), { runId, limits, ...timeout });
    return true;
  });
  const waiting = `(${searchAttributeNames.status} = 'waiting_for_human' OR ExecutionStatus != 'Running')`;
  await waitUntil(async () => (await count(waiting)) === runs.length, patienceMs);

  const isAsking = async (runId: string) =>
    (await server.tactus.attach(runId).status()).status === 'waiting_for_human';
  const decide = (runId: string) =>
    client.workflow
      .getHandle(runId)
      .signal(signalNames.decide, { request: `${runId}/${approval}`, value: true });
  const order = [...runs].sort((a, b) => (Number(a.slice(2)) % 7) - (Number(b.slice(2)) % 7));
  for (const fate of ['answered', 'long', 'failed', 'again'] as const) await withFates(order, fate, decide);
  await withFates(order, 'cancelled', (runId) => server.tactus.attach(runId).cancel());
  await withFates(order, 'terminated', (runId) => server.tactus.attach(runId).terminate('no more'));
  const again = runs.filter((runId) => fateOf(runId.slice(1)) === 'again');
  await eachOf(again, atOnce, async (runId) => {
    await client.workflow.getHandle(runId).result();
    const start = { args: [{ source, input: { steps: 1 } }], taskQueue: 'tactus', workflowId: runId };
    await client.workflow.start(workflowType, { ...start, workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
    return true;
  });
  const open = runs.filter((runId) => ['open', 'again'].includes(fateOf(runId.slice(1))));
  await waitUntil(async () => (await count(`ExecutionStatus = 'Running'`)) === open.length, patienceMs);
  // What was told late comes by then.
  await delay(3_000);
  clearInterval(disturbing);
  await dying.end();
  expect(await goneBack(watched)).toEqual([]);
  const seconds = Math.round((performance.now() - started) / 1_000);

  // It mirrors nothing itself.
  reader = await startWorker(server);
  // Nobody may have been there to take those that began again up to their question.
  await eachOf(open, 8, (runId) => waitUntil(() => isAsking(runId), patienceMs));
  const begun = performance.now();
  const repaired = await reconcileStorage(client, storage);
  const took = Math.round((performance.now() - begun) / 1_000);
  console.log(
    `mirror chaos in ${name}: ${runs.length} runs in ${seconds} s, ${dying.deaths()} workers killed as they wrote; ` +
      `repaired in ${took} s: ${JSON.stringify({ ...repaired, failed: repaired.failed.length })}`,
  );
  // The server lets nobody ask a run whose workers died three times with its last task, and which was over then: its end is known all the same.
  for (const { reason } of repaired.failed) expect(reason).toContain('attempt');
  const unread = new Set(repaired.failed.map(({ run_id }) => run_id));
  expect(unread.size).toBeLessThan(runs.length / 10);

  // What somebody else does to records that are right by then, and a record of theirs.
  const waitingRecords = await storage.listCheckpoints({ status: 'WAITING_FOR_HUMAN' });
  const [deleted = '', lied = '', lost = '', spoilt = ''] = waitingRecords.filter((id) => !unread.has(id));
  await storage.deleteCheckpoint(deleted);
  await storage.updateProcedureStatus(lied, 'PAUSED');
  await watched.query('DELETE FROM tactus_checkpoints WHERE id = ? AND position = 2', [lost]);
  await watched.query(`UPDATE tactus_procedures SET state = '{' WHERE id = ?`, [spoilt]);
  await storage.saveCheckpoint('somebody', { state: { mine: true }, status: 'RUNNING' });
  const right = { missing: 0, damaged: 0, ended: 0, behind: 0, wrong: 0 };
  const harmed = { ...right, missing: 1, damaged: 2, wrong: 1 };
  expect(await reconcileStorage(client, storage)).toMatchObject(harmed);

  await eachOf(runs, 8, async (runId) => {
    const { mirrored, ...record } = await storage.loadProcedureMetadata(runId);
    if (unread.has(runId)) {
      expect(record.status).toBe((await server.tactus.attach(runId).handle.describe()).status.name);
      return true;
    }
    expect(record, runId).toStrictEqual(await expectedRecord(server.tactus.attach(runId)));
    const kept = await readLedger(storage, runId);
    expect(new Set(kept.map(({ id }) => id)).size, runId).toBe(kept.length);
    const ledger = await ledgerOf(server.tactus.attach(runId));
    // What was written of the run before that had this id stays; nobody is asked any more for what was not.
    if (fateOf(runId.slice(1)) === 'again') expect(kept.length, runId).toBeLessThanOrEqual(9);
    else
      expect(
        kept.map(({ key, number }) => [key, number]),
        runId,
      ).toEqual(ledger.map(({ key, number }) => [key, number]));
    expect(mirrored?.over, runId).toBe(!/RUNNING|WAITING/.test(record.status));
    return true;
  });
  expect(await storage.getState('somebody')).toEqual({ mine: true });
  const after = await reconcileStorage(client, storage, { isDryRun: true });
  expect(after).toMatchObject({ ...right, same: after.runs - unread.size });
}

describe('a mirror that fails, delays and reorders, whose workers are killed as they write', () => {
  it(
    'never goes back, and is right once it is reconciled, in SQLite',
    { timeout: 2 * patienceMs },
    async () => {
      const path = join(temporaryFolder('mirror-chaos'), 'runs.sqlite');
      const storage = await openStorage(`sqlite:${path}`);
      await storage.listCheckpoints({ limit: 1 });
      const watched = await SqliteConnection.open(path);
      await watchRecords(watched, 'sqlite');
      await survives({
        name: 'sqlite',
        storage,
        place: `sqlite:${path}`,
        watched,
        disturb: async () => undefined,
      });
      await watched.close();
      await storage.close?.();
    },
  );

  it.runIf(isWhole && hasPostgres)(
    'and in PostgreSQL, whose connections are cut again and again',
    { timeout: 2 * patienceMs },
    async () => {
      const postgres: TestPostgres = await startPostgres();
      await postgres.create('mirror');
      const place = postgres.address('mirror');
      const storage = await openStorage(place);
      await storage.listCheckpoints({ limit: 1 });
      const watched = await PostgresConnection.open(place);
      await watchRecords(watched, 'postgres');
      await survives({
        name: 'postgres',
        storage,
        place,
        watched,
        disturb: () => postgres.disconnect('mirror'),
      });
      await watched.close();
      await storage.close?.();
      await postgres.stop();
    },
  );
});
