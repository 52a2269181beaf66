import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const models = fileURLToPath(new URL('../../fixtures/models', import.meta.url));
const folder = temporaryFolder('corpora');
const indexes = temporaryFolder('indexes');

/** Paragraphs of files; what the tiny model makes of them is well apart. */
const notes: Record<string, string[]> = {
  'kettles.md': [
    'The kettle leaks, and it broke on day two.',
    'A kettle is under warranty for two years; the customer sends it back.',
    'Descale it with vinegar once a month.',
  ],
  'travel/flights.txt': ['Anna flew from London to Berlin with Siemens.', 'Größe, naïve, 東京 and 😀.'],
  'travel/trains.md': ['The train to Berlin takes six hours, and there is a café on board.'],
  'service.md': [
    'Nobody answered the phone; I am very disappointed by the service and will not come back.',
    'Wonderful! The service was quick.',
  ],
};

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  await writeNotes('notes');
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

async function writeNotes(corpus: string): Promise<void> {
  for (const [path, paragraphs] of Object.entries(notes)) {
    const file = join(folder, corpus, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, paragraphs.join('\n\n'));
  }
}

const byMeaning =
  'retriever_id = "embedding-index-file", embedding_provider = { provider_id = "sentence_transformers", path = "sentences", max_length = 64 }';

/** A procedure with a retriever `search` over a corpus. */
const searching = (fields: string, body: string, corpus = 'notes'): ReturnType<typeof procedureOf> =>
  procedureOf(`local notes = Corpus { root = "${corpus}" }
    local search = Retriever { name = "search", corpus = notes, ${fields} }
    ${body}`);

interface Found {
  id: string;
  score: number;
  text: string;
}

async function find(fields: string, query: string, corpus = 'notes'): Promise<Found[]> {
  const run = await server.tactus.start(
    searching(fields, `return search(${JSON.stringify(query)}).evidence`, corpus),
  );
  return (await run.result()) as unknown as Found[];
}

describe('embeddings', () => {
  const queries = ['My kettle is broken', 'How do I get to Berlin?', 'angry about the hotline'];

  it('find what comparing with every paragraph finds, in the same order', async () => {
    const { env, pipeline } = await import('@huggingface/transformers');
    Object.assign(env, { allowRemoteModels: false, localModelPath: models });
    const pipe = await pipeline('feature-extraction', 'sentences', { dtype: 'fp32' });
    const embed = async (text: string): Promise<number[]> => {
      const tensor = await pipe(text, { pooling: 'mean', normalize: true });
      return (tensor.tolist() as number[][])[0] ?? [];
    };
    const all: { id: string; text: string; vector: number[] }[] = [];
    for (const [path, paragraphs] of Object.entries(notes)) {
      let at = 0;
      for (const text of paragraphs) {
        all.push({ id: `${path}#${at}-${at + text.length}`, text, vector: await embed(text) });
        at += text.length + 2;
      }
    }
    const run = await server.tactus.start(
      searching(
        `${byMeaning}, limit = 8`,
        `local found = {} for i, each in ipairs(input.queries) do found[i] = search(each).evidence end return found`,
      ),
      { queries },
    );
    const found = (await run.result()) as unknown as Found[][];
    for (const [i, query] of queries.entries()) {
      const asked = await embed(query);
      const wanted = all
        .map(({ vector, ...each }) => ({
          ...each,
          score: vector.reduce((sum, v, j) => sum + v * (asked[j] ?? 0), 0),
        }))
        .sort((a, b) => b.score - a.score);
      expect(found[i]?.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      expect(found[i]).toMatchObject(
        wanted.map(({ text, score }) => ({ text, score: expect.closeTo(score, 4) as unknown })),
      );
    }
    await pipe.dispose();
    // One checkpoint each, with what was seen.
    const { execution_log: log } = await run.log();
    expect(log.map(({ type, name }) => [type, name])).toEqual(queries.map(() => ['retrieve', 'search']));
    expect(log[0]?.result).toMatchObject({
      evidence: found[0],
      version: corpusHash('notes'),
      model_version: expect.stringMatching(/^sha256:/) as unknown,
      ...{ files: 4, chunks: 8 },
    });
    expect(await attemptsOf(run)).toEqual([1, 1, 1]);
  });
});

describe('words', () => {
  it.each([
    ['retriever_id = "sqlite-full-text-search"', 'berlin', ['travel/flights.txt', 'travel/trains.md']],
    ['retriever_id = "sqlite-full-text-search"', 'Berlin café', ['travel/trains.md']],
    ['retriever_id = "sqlite-full-text-search"', 'the berlin', ['travel/trains.md']],
    [
      'retriever_id = "sqlite-full-text-search", stop_words = "english"',
      'the berlin',
      ['travel/flights.txt', 'travel/trains.md'],
    ],
    ['retriever_id = "sqlite-full-text-search"', '"AND NOT* ( berlin', []],
    ['retriever_id = "sqlite-full-text-search"', '?!', []],
    ['retriever_id = "tf-vector"', 'kettle kettle warranty', ['kettles.md']],
    ['retriever_id = "tf-vector"', 'service train', ['service.md', 'travel/trains.md']],
    ['retriever_id = "tf-vector"', '東京', []],
  ])('{ %s } finds by %s', async (fields, query, files) => {
    const found = await find(fields, query);
    expect(found.map(({ id }) => id.split('#')[0]).sort()).toEqual(files);
  });

  it('are counted as vectors of how often they stand in a text', async () => {
    const [found] = await find('retriever_id = "tf-vector"', 'service train');
    const counts = new Map<string, number>();
    for (const [word] of (notes['service.md'] ?? [])
      .join('\n\n')
      .toLowerCase()
      .matchAll(/[a-z0-9]+/g))
      counts.set(word, (counts.get(word) ?? 0) + 1);
    const norm = Math.sqrt([...counts.values()].reduce((sum, n) => sum + n * n, 0));
    expect(found?.score).toBeCloseTo((counts.get('service') ?? 0) / (norm * Math.SQRT2), 12);
  });

  it('are given within the bounds of a question', async () => {
    const run = await server.tactus.start(
      searching(
        'retriever_id = "sqlite-full-text-search", chunk_size = 40, chunk_overlap = 0',
        `local function ids(question)
           local ids = {}
           for i, each in ipairs(search(question).evidence) do ids[i] = each.item_id end
           return ids
         end
         return {
           ids { query = "the", limit = 9, maximum_items_per_source = 1 },
           ids { query = "the", limit = 1 },
           ids { query = "the", limit = 9, offset = 3, maximum_items_per_source = 1 },
           ids { query = "the", limit = 9, maximum_total_characters = 41 },
         }`,
      ),
    );
    const [perFile, first, , few] = (await run.result()) as string[][];
    expect([...new Set(perFile)]).toEqual(perFile);
    expect(first).toEqual(perFile?.slice(0, 1));
    expect(few).toHaveLength(1);
  });
});

describe('a corpus that changes', () => {
  const waiting = `local first = search("berlin")
    Human.input { message = "Changed?" }
    local second = search("berlin")
    return { first.evidence_count, second.evidence_count, first.version ~= second.version }`;
  const words = 'retriever_id = "sqlite-full-text-search"';

  it('is noticed: the run warns of it, and what was found stands, in a replay and a fork too', async () => {
    await writeNotes('changing');
    const before = corpusHash('changing');
    const run = await server.tactus.start(searching(words, waiting, 'changing'));
    const [request] = await pendingOf(run);
    await writeFile(join(folder, 'changing', 'hotels.md'), '---\nberlin: yes\n---\nA hotel in Berlin.');
    await rm(join(folder, 'changing', 'travel', 'trains.md'));
    await appendFile(join(folder, 'changing', 'service.md'), '\n\nThe phone in Berlin is answered.');
    await run.decide({ request: request?.id ?? '', value: 'yes' });
    expect(await run.result()).toEqual([2, 3, true]);
    const { execution_log: log } = await run.log();
    expect(log.map(({ result }) => result)).toMatchObject([
      { version: before, files: 4 },
      {},
      { version: corpusHash('changing'), files: 4 },
    ]);
    expect((await run.status()).logs).toMatchObject([
      { level: 'warning', context: { retriever: 'search', before, now: corpusHash('changing') } },
    ]);

    const forked = await server.tactus.fork(run.runId, { at: '2' });
    await rm(join(folder, 'changing', 'hotels.md'));
    expect(await forked.result()).toMatchObject([2, expect.any(Number), true]);
    expect(await attemptsOf(forked)).toHaveLength(1);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('has its index brought up to date without a question, and only where files are others', async () => {
    await writeNotes('indexed');
    const run = await server.tactus.start(
      searching(words, 'return { search.index(), search.index() }', 'indexed'),
    );
    const held = { version: corpusHash('indexed'), files: 4, chunks: 4 };
    expect(await run.result()).toEqual([held, held]);
  });
});

describe('what goes wrong', () => {
  const words = 'retriever_id = "sqlite-full-text-search"';
  const model = (fields: string): string =>
    `retriever_id = "embedding-index-file", embedding_provider = { provider_id = "sentence_transformers", ${fields} }`;

  beforeAll(async () => {
    await mkdir(join(folder, 'empty'));
    await mkdir(join(folder, 'blank'));
    await mkdir(join(folder, 'binary'));
    await mkdir(join(folder, 'large'));
    await writeFile(join(folder, 'empty', 'picture.png'), 'x');
    await symlink(join(folder, 'notes', 'kettles.md'), join(folder, 'empty', 'link.md'));
    await writeFile(join(folder, 'blank', 'a.md'), ' \n');
    await writeFile(join(folder, 'binary', 'a.txt'), Buffer.from([0x66, 0xff, 0xfe]));
    await writeFile(join(folder, 'large', 'a.txt'), 'x'.repeat(16_000_001));
    await writeFile(join(folder, 'file.md'), 'x');
    await symlink('/', join(folder, 'out'));
  });

  it.each([
    ['none', words, "none doesn't exist (folder of corpora: "],
    ['../notes', words, 'Path traversal'],
    ['/etc', words, 'Path traversal'],
    ['out', words, 'Path traversal'],
    ['file.md', words, 'file.md is a file, and a corpus is a folder of them'],
    ['empty', words, 'the corpus empty has no files of text'],
    ['blank', words, 'the files of the corpus blank are empty'],
    ['binary', words, 'a.txt is no text in UTF-8'],
    ['large', words, 'a.txt has 16.0 MB; a text of a corpus may have 16 MB'],
    ['notes', model('path = "none"'), "none doesn't exist (folder of models: "],
    ['notes', model('path = "sentences", dimensions = 64'), 'says 64 dimensions, and the model gives 32'],
  ])('with the corpus %s and { %s } is told once', async (corpus, fields, message) => {
    const run = await server.tactus.start(searching(fields, 'return { pcall(search, "berlin") }', corpus));
    const [ok, why] = (await run.result()) as [boolean, JsonValue];
    expect([ok, why]).toEqual([false, expect.stringContaining(message)]);
    expect(JSON.stringify(why)).not.toContain(`${folder}/`);
    expect(await attemptsOf(run)).toEqual([1]);
  });

  it('with a damaged index says which file to delete, and finds all once that is done', async () => {
    await writeNotes('damaged');
    expect(await find(words, 'berlin', 'damaged')).toHaveLength(2);
    const name = (await readdir(indexes)).find((each) => /^damaged-\w+\.sqlite$/.test(each)) ?? '';
    await rm(join(indexes, `${name}-wal`), { force: true });
    await writeFile(join(indexes, name), 'no database at all'.repeat(1_000));
    const run = await server.tactus.start(
      searching(words, 'return tostring(select(2, pcall(search, "berlin")))', 'damaged'),
    );
    expect(await run.result()).toMatch(new RegExp(`the index ${name} .* is damaged .*: delete it`));
    expect(await attemptsOf(run)).toEqual([1]);
    for (const each of await readdir(indexes)) if (each.startsWith(name)) await rm(join(indexes, each));
    expect(await find(words, 'berlin', 'damaged')).toHaveLength(2);
  });
});

/** What `sha256sum` says of the texts of a corpus, hashed. */
function corpusHash(corpus: string): string {
  const lines = textsOf(join(folder, corpus))
    .map((path) => {
      const bytes = readFileSync(join(folder, corpus, path));
      return `${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`;
    })
    .join('');
  return `sha256:${createHash('sha256').update(lines).digest('hex')}`;
}

async function attemptsOf(run: TactusRun): Promise<number[]> {
  const histories = await historiesOf(server.client, run.runId);
  return histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ activityTaskStartedEventAttributes: started }) => (started ? [started.attempt ?? 1] : []));
}

function textsOf(place: string): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .sort();
}
