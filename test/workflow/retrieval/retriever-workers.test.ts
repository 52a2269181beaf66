import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { startChildWorker } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const models = fileURLToPath(new URL('../../fixtures/models', import.meta.url));
const folder = temporaryFolder('corpora');
const indexes = temporaryFolder('indexes');
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  worker = await start();
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

function start(taskQueue?: string): Promise<TestWorker> {
  return startWorker(server, {
    ...(taskQueue === undefined ? {} : { taskQueue }),
    activities: { modelsFolder: models, corporaFolder: folder, indexesFolder: indexes },
  });
}

function clientOf(taskQueue: string): TactusClient {
  return new TactusClient(server.client, { taskQueue });
}

/** A procedure that looks into the corpus `many`. */
const searching = (body: string): ReturnType<typeof procedureOf> =>
  procedureOf(`local search = Retriever {
      name = "search", corpus = Corpus { root = "many" }, retriever_id = "embedding-index-file",
      embedding_provider = { provider_id = "sentence_transformers", path = "sentences" },
    }
    ${body}`);

it('two workers that index at once make one index, with each text once', async () => {
  const many = join(folder, 'many');
  await mkdir(many);
  for (let i = 0; i < 60; i++) await writeFile(join(many, `${i}.md`), `Note ${i}\n\nOf kettles ${i % 7}`);
  const other = await start('elsewhere');
  try {
    const source = searching('return search("kettles 3")');
    const runs = await Promise.all([server.tactus.start(source), clientOf('elsewhere').start(source)]);
    const [here, there] = await Promise.all(runs.map((run) => run.result()));
    expect(here).toEqual(there);
    const { execution_log: log } = await runs[0].log();
    expect(log[0]?.result).toMatchObject({ files: 60, chunks: 120 });
  } finally {
    await other.stop();
  }
});

const count = 300;
/** So many files, for which an index takes seconds. */
async function writeMany(below: string): Promise<void> {
  await mkdir(join(below, 'many'));
  for (let i = 0; i < count; i++) {
    const texts = Array.from({ length: 20 }, (_, j) => `Note ${i} of kettles, paragraph ${j}`);
    await writeFile(join(below, 'many', `${i}.md`), texts.join('\n\n'));
  }
}

it('a run that is cancelled while it indexes ends that, and the next one goes on from there', async () => {
  const filesRoot = temporaryFolder('cancelled');
  await writeMany(filesRoot);
  const places = { modelsFolder: models, corporaFolder: filesRoot, filesRoot };
  const taskQueue = 'cancelled';
  const other = await startWorker(server, { taskQueue, activities: { ...places, workingFolder: filesRoot } });
  try {
    const source = searching('return search("Note 7 of kettles, paragraph 3").evidence[1].score');
    const limits = { heartbeatMs: 1_000 };
    const run = await clientOf(taskQueue).start(source, {}, { limits });
    await waitUntil(async () => (await indexedFiles(filesRoot)).length > 5);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    // The worker hears of it with its next heartbeat; then nobody has the index any more.
    await waitUntil(async () => (await ofIndex(filesRoot, 'turn', 'owner')).length === 0);
    const done = await indexedFiles(filesRoot);
    expect(done.length).toBeLessThan(count);
    const next = await clientOf(taskQueue).start(source, {}, { limits });
    expect(await next.result()).toBeCloseTo(1, 4);
    const files = await indexedFiles(filesRoot);
    expect(files).toHaveLength(count);
    expect(files).toEqual(expect.arrayContaining(done));
  } finally {
    await other.stop();
  }
});

it('a worker that is killed while it indexes leaves what it has done, and another one goes on from there', async () => {
  const filesRoot = temporaryFolder('killed');
  await writeMany(filesRoot);
  const place = { address: server.env.address, taskQueue: 'killed', filesRoot, modelsFolder: models };
  const first = await startChildWorker(place);
  const run = await clientOf('killed').start(
    searching('return search("Note 7 of kettles, paragraph 3").evidence[1].score'),
    {},
    { limits: { heartbeatMs: 1_000 } },
  );
  const done = await waitUntil(async () => {
    const files = await indexedFiles(filesRoot);
    return files.length > 5 ? files : null;
  });
  await first.kill();
  expect(done.length).toBeLessThan(count);
  const second = await startChildWorker(place);
  try {
    expect(await run.result()).toBeCloseTo(1, 4);
    const files = await indexedFiles(filesRoot);
    expect(files).toHaveLength(count);
    // A text that is indexed once more has another number.
    expect(files).toEqual(expect.arrayContaining(done));
    const histories = await historiesOf(server.client, run.runId);
    const attempts = histories
      .flatMap(({ events }) => events ?? [])
      .map(({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? 0);
    expect(Math.max(...attempts)).toBeGreaterThan(1);
  } finally {
    await second.kill();
  }
});

interface IndexedFile {
  id: number;
  path: string;
}

/** What the only index below a folder of files has so far. */
function indexedFiles(filesRoot: string): Promise<IndexedFile[]> {
  return ofIndex<IndexedFile>(filesRoot, 'files', 'id, path');
}

/** The rows of one of its tables; none before the index is there. */
async function ofIndex<T>(filesRoot: string, table: string, columns: string): Promise<T[]> {
  const below = join(filesRoot, '.tactus-temporal', 'indexes');
  const name = (await readdir(below).catch(() => [])).find((each) => each.endsWith('.sqlite'));
  if (name === undefined) return [];
  const database = new DatabaseSync(join(below, name));
  try {
    const [made] = database.prepare(`SELECT name FROM sqlite_master WHERE name = ?`).all(table);
    if (made === undefined) return [];
    return database
      .prepare(`SELECT ${columns} FROM ${table} ORDER BY 1`)
      .all()
      .map((row) => ({ ...row })) as T[];
  } finally {
    database.close();
  }
}
