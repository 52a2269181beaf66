/**
 * `npm run bench -- retrieval [chunks] [dimensions] [questions]`: what an index of so many texts takes to be made, and a question to it; whether
 * the extension finds what comparing with every vector finds. Vectors are made up, round 200 topics: a model's own time is left out.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexFile } from '../dist/activities/retrieval/index-file.js';
import { bringUpToDate } from '../dist/activities/retrieval/retrieve.js';
import { searchIndex } from '../dist/activities/retrieval/search-index.js';
import { cosineOrder, madeUpVectors } from './measures/made-up-vectors.ts';
import { quantile } from './measures/quantiles.ts';

const [chunks = 100_000, dimensions = 384, questions = 200] = process.argv.slice(2).map(Number);
const perFile = 100;
const wanted = 10;
const folder = mkdtempSync(join(tmpdir(), 'tactus-retrieval-'));
const corpus = { name: 'corpus', folder: join(folder, 'corpus') };
const indexes = join(folder, 'indexes');
const { signal } = new AbortController();
try {
  const vectors = madeUpVectors(chunks, dimensions);
  mkdirSync(corpus.folder);
  for (let file = 0; file * perFile < chunks; file++) {
    const texts = Array.from(
      { length: Math.min(perFile, chunks - file * perFile) },
      (_, i) => `text ${file * perFile + i}`,
    );
    writeFileSync(join(corpus.folder, `${file}.md`), texts.join('\n\n'));
  }
  const embed = async (texts: readonly string[]): Promise<{ vectors: Float32Array[]; version: null }> => ({
    vectors: texts.map((text) => vectors.of(Number(text.slice('text '.length)))),
    version: null,
  });
  const setup = { id: 'embedding-index-file', chunking: { by: 'paragraph' }, embedding: null } as const;
  const open = (): Promise<IndexFile> =>
    IndexFile.open(indexes, { corpus, setup, model: { version: null, dimensions } });
  const indexing = { corpus, chunking: setup.chunking, embed, signal };

  const rows: [string, string][] = [];
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const index = await open();
  const making = await timed(() => bringUpToDate(index, indexing));
  rows.push(['an index is made', `${(making / 1_000).toFixed(1)} s`]);
  const bytes = readdirSync(indexes).reduce((sum, name) => sum + statSync(join(indexes, name)).size, 0);
  rows.push(['it takes', `${(bytes / 1e6).toFixed(0)} MB`]);
  // What was written lately is read once more.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  await bringUpToDate(index, indexing);
  rows.push(['nothing has changed', `${(await timed(() => bringUpToDate(index, indexing))).toFixed(0)} ms`]);
  writeFileSync(
    join(corpus.folder, '0.md'),
    Array.from({ length: perFile }, (_, i) => `text ${i}`)
      .reverse()
      .join('\n\n'),
  );
  rows.push([
    'a file of 100 texts has changed',
    `${(await timed(() => bringUpToDate(index, indexing))).toFixed(0)} ms`,
  ]);
  index.close();

  const times: number[] = [];
  let same = 0;
  for (let n = 0; n < questions; n++) {
    const vector = vectors.question(n);
    const start = performance.now();
    const opened = await open();
    const found = opened.read(() => searchIndex(opened, { text: '', vector, stopWords: [] }, wanted * 10));
    opened.close();
    times.push(performance.now() - start);
    const numbers = found.slice(0, wanted).map(({ text }) => Number(text.slice('text '.length)));
    const brute = cosineOrder(vectors, chunks, vector, wanted);
    if (numbers.join() === brute.join()) same++;
  }
  times.sort((a, b) => a - b);
  for (const p of [0.5, 0.99]) rows.push([`a question, p${p * 100}`, `${quantile(times, p).toFixed(1)} ms`]);
  rows.push(['questions whose ten texts are those of comparing all', `${same} of ${questions}`]);
  console.log(`${chunks} texts, ${dimensions} numbers each\n\n| what | |\n| --- | --- |`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
  if (same !== questions) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
