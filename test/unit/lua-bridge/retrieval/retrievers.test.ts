import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { Retrieval, RetrievalResult } from '../../../../src/contract/retrieval/retrieval.js';
import { outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

const found = (
  texts: readonly string[],
  version = 'sha256:1',
  model: string | null = null,
): RetrievalResult => ({
  evidence: texts.map((text, i) => ({
    ...{ id: `${i}.md#0-${text.length}`, item_id: `${i}.md`, rank: i + 1, score: 1 - i / 10 },
    ...{ text, span_start: 0, span_end: text.length },
  })),
  ...{ version, model_version: model, files: texts.length, chunks: texts.length },
});

/** A worker whose corpus answers each question with these texts. */
function answering(say: (asked: Retrieval, nth: number) => RetrievalResult): {
  asked: Retrieval[];
  options: FakeOptions;
} {
  const asked: Retrieval[] = [];
  const perform: FakeOptions['perform'] = (effect) => {
    if (effect.kind !== 'retrieve') throw new Error(`asked for ${effect.kind}`);
    asked.push(effect.retrieval);
    return say(effect.retrieval, asked.length) as unknown as JsonValue;
  };
  return { asked, options: { perform } };
}

const notes = 'notes = Corpus { root = "notes" }\n';
const words = `${notes}search = Retriever { corpus = notes, retriever_id = "sqlite-full-text-search" }\n`;

describe('a retriever', () => {
  it('is asked with what it declares, and gives what was found with the version of what was searched', () => {
    const { asked, options } = answering(() => found([' one ', 'two'], 'sha256:1', 'sha256:2'));
    expect(outputOf(`${words}return search("kettles")`, options)).toEqual({
      query: 'kettles',
      text: 'one\n\ntwo',
      evidence: [
        { id: '0.md#0-5', item_id: '0.md', rank: 1, score: 1, text: ' one ', span_start: 0, span_end: 5 },
        { id: '1.md#0-3', item_id: '1.md', rank: 2, score: 0.9, text: 'two', span_start: 0, span_end: 3 },
      ],
      evidence_count: 2,
      version: 'sha256:1',
      model_version: 'sha256:2',
    });
    expect(asked).toEqual([
      {
        retriever: 'search',
        setup: {
          id: 'sqlite-full-text-search',
          corpus: 'notes',
          chunking: { by: 'characters', size: 800, overlap: 200 },
          embedding: null,
          snippet: 400,
          stopWords: [],
          timeoutMs: 3_600_000,
        },
        query: 'kettles',
        bounds: { limit: 3, offset: 0, characters: null, perSource: null },
      },
    ]);
  });

  it.each([
    [
      'retriever_id = "tf-vector", configuration = { pipeline = { index = {}, query = { limit = 2, maximum_total_characters = 1200 } } }',
      { id: 'tf-vector', chunking: { by: 'whole' }, embedding: null, snippet: null },
      { limit: 2, offset: 0, characters: 1200, perSource: null },
    ],
    [
      'retriever_type = "embedding-index-file", configuration = { pipeline = { index = { embedding_provider = { provider_id = "hash-embedding", dimensions = 64 } } } }',
      { chunking: { by: 'paragraph' }, embedding: { by: 'hash', dimensions: 64, seed: 'biblicus' } },
      { limit: 3, offset: 0, characters: null, perSource: null },
    ],
    [
      'retriever_id = "embedding-index-inmemory", limit = 5, offset = 1, max_items_per_source = 2, chunker = { chunker_id = "fixed-token-window", window_tokens = 9, overlap_tokens = 3 }, embedding_provider = { provider_id = "sentence_transformers", path = "m", pooling = "cls" }',
      {
        chunking: { by: 'words', size: 9, overlap: 3 },
        embedding: { by: 'model', settings: { path: 'm', pooling: 'cls' }, dimensions: null },
      },
      { limit: 5, offset: 1, characters: null, perSource: 2 },
    ],
    [
      'retriever_id = "sqlite-full-text-search", pipeline = { index = { chunk_size = 10, chunk_overlap = 0, snippet_characters = 4, stop_words = { "The" } } }, timeout = "2m", retries = 1, task_queue = "gpu"',
      {
        chunking: { by: 'characters', size: 10, overlap: 0 },
        ...{ snippet: 4, stopWords: ['the'], timeoutMs: 120_000, retry: { attempts: 2 }, taskQueue: 'gpu' },
      },
      { limit: 3, offset: 0, characters: null, perSource: null },
    ],
  ])('{ %s } is read', (fields, setup, bounds) => {
    const { asked, options } = answering(() => found(['x']));
    outputOf(`${notes}search = Retriever { corpus = "notes", ${fields} } search("kettles")`, options);
    expect(asked).toMatchObject([{ setup, bounds }]);
  });

  it('takes other bounds with a question, and joins texts as it says', () => {
    const { asked, options } = answering(() => found(['a', 'b']));
    const source = `${notes}search = Retriever { corpus = notes, retriever_id = "tf-vector", join_with = " | ", offset = 2 }
      return search({ query = "kettles", limit = 7, maximum_total_characters = 9 }).text`;
    expect(outputOf(source, options)).toBe('a | b');
    expect(asked[0]?.bounds).toEqual({ limit: 7, offset: 2, characters: 9, perSource: null });
  });

  it('brings its index up to date without a question', () => {
    const { asked, options } = answering(() => ({ ...found([]), files: 4, chunks: 9 }));
    expect(outputOf(`${words}return search.index()`, options)).toEqual({
      version: 'sha256:1',
      files: 4,
      chunks: 9,
    });
    expect(asked).toMatchObject([{ query: null }]);
  });

  it('has a corpus or a model that is another one meanwhile: whoever reads the log is told', () => {
    const versions = ['a', 'a', 'b', 'b'].map((each) => `sha256:${each}`);
    const { options } = answering((_, nth) =>
      found(['x'], versions[nth - 1], nth < 4 ? 'sha256:m' : 'sha256:n'),
    );
    const { program } = runFake(`${words}for i = 1, 4 do search("kettles") end`, options);
    expect(program.shown).toMatchObject([
      {
        level: 'warning',
        message: 'The corpus of the retriever search is another one than this run has asked before',
        context: { retriever: 'search', before: 'sha256:a', now: 'sha256:b' },
      },
      { level: 'warning', context: { before: 'sha256:m', now: 'sha256:n' } },
    ]);
  });

  it('answers in a replay with what was found then, and asks nobody', () => {
    const { options } = answering((_, nth) => found([`find ${nth}`]));
    const source = `${words}return { search("kettles").text, search("teapots").text }`;
    const { program } = runFake(source, options);
    const replayed = runFake(source, {
      carried: program.drain(),
      perform: () => {
        throw new Error('asked again');
      },
    });
    expect(replayed.performed).toEqual([]);
    expect(replayed.ended).toMatchObject({ output: ['find 1', 'find 2'] });
  });

  it.each([
    ['Corpus {}', 'root must be the folder of its texts'],
    ['Corpus { root = 5 }', 'root must be the folder of its texts'],
    ['Corpus { root = "a", name = "" }', "name must be a text that isn't empty"],
    ['Corpus "a"', 'table expected'],
    ['Retriever { retriever_id = "tf-vector" }', 'corpus must be a Corpus'],
    ['Retriever { corpus = "others", retriever_id = "tf-vector" }', 'corpus must be a Corpus'],
    ['Retriever { corpus = notes }', 'the retriever_id null is not known; there are embedding-index-file'],
    ['Retriever { corpus = notes, retriever_id = "magic" }', 'the retriever_id "magic" is not known'],
    [
      'Retriever { corpus = notes, retriever_id = "embedding-index-file" }',
      'embedding_provider must be a table',
    ],
    [
      'Retriever { corpus = notes, retriever_id = "embedding-index-file", embedding_provider = { provider_id = "openai" } }',
      'the provider_id "openai" is not known',
    ],
    [
      'Retriever { corpus = notes, retriever_id = "embedding-index-file", embedding_provider = { provider_id = "sentence_transformers" } }',
      'embedding_provider needs path',
    ],
    [
      'Retriever { corpus = notes, retriever_id = "embedding-index-file", embedding_provider = { provider_id = "hash-embedding" } }',
      'hash-embedding needs dimensions',
    ],
    [
      'Retriever { corpus = notes, retriever_id = "sqlite-full-text-search", chunk_size = 5, chunk_overlap = 5 }',
      'must overlap by less than their size of 5',
    ],
    [
      'Retriever { corpus = notes, retriever_id = "tf-vector", limit = 0 }',
      'limit must be an integer from 1',
    ],
    ['Retriever { corpus = notes, retriever_id = "tf-vector", limit = 401 }', 'come to more than 400'],
    ['Retriever { corpus = notes, retriever_id = "tf-vector", stop_words = "french" }', 'stop_words must be'],
    [
      'Retriever { corpus = notes, retriever_id = "embedding-index-file", chunker = { chunker_id = "page" } }',
      'the chunker_id "page" is not known',
    ],
    ['Retriever { corpus = notes, retriever_id = "tf-vector" } ("")', 'must be asked with a text'],
    ['Retriever { corpus = notes, retriever_id = "tf-vector" } (5)', 'must be asked with a text'],
  ])('%s is a fault', (source, message) => expect(() => outputOf(`${notes}${source}`)).toThrow(message));
});

describe('tasks that retrievers come with', () => {
  const two = `${words}other = Retriever { corpus = notes, retriever_id = "tf-vector" }\n`;
  const main = 'Procedure { function() return "main" end }';
  const held = { version: 'sha256:1', files: 0, chunks: 0 };

  it.each([
    ['index', ['search', 'other'], { search: held, other: held }],
    ['index:other', ['other'], { other: held }],
  ])('%s brings the indexes of %j up to date', (task, names, output) => {
    const { asked, options } = answering(() => found([]));
    expect(outputOf(two + main, { ...options, task })).toEqual(output);
    expect(asked.map(({ retriever, query }) => [retriever, query])).toEqual(
      names.map((name) => [name, null]),
    );
  });

  it('give way to what the file does otherwise, and to a task of that name', () => {
    const { options } = answering(() => found([]));
    expect(outputOf(two + main, options)).toBe('main');
    const own = 'Task "index" { entry = function() return "own" end }';
    expect(outputOf(two + own, options)).toBe('own');
    expect(() => outputOf(two, { ...options, task: 'none' })).toThrow(
      'there are: index, index:search, index:other',
    );
  });
});

describe('modules of the reference', () => {
  it.each([
    ['require("tactus.retrievers.tf_vector").Retriever { corpus = notes }', 'tf-vector'],
    [
      'require("tactus.retrievers").SqliteFullTextSearch.Retriever:new({ corpus = notes })',
      'sqlite-full-text-search',
    ],
    [
      'require("tactus.retrievers.embedding_index_file").Retriever { corpus = notes, embedding_provider = { provider_id = "hash-embedding", dimensions = 3 } }',
      'embedding-index-file',
    ],
  ])('%s declares a retriever', (made, id) => {
    const { asked, options } = answering(() => found(['x']));
    const source = `local Filesystem = require("tactus.corpora.filesystem")
      notes = Filesystem.Corpus { root = "corpora/notes" }
      search = ${made}
      return search("x").text`;
    expect(outputOf(source, options)).toBe('x');
    expect(asked).toMatchObject([{ retriever: 'search', setup: { id, corpus: 'corpora/notes' } }]);
  });

  it.each(['Retriever {}', 'Corpus {}'])('%s fails in runs that began before there were any', (call) => {
    expect(() => outputOf(call, { engine: 7 })).toThrow('is not there');
    expect(() => outputOf('require("tactus.retrievers")', { engine: 7 })).toThrow('is not there');
  });
});

describe('what stands for a corpus in tests', () => {
  const mock = { all: true, agents: {}, results: {}, people: null };
  it.each([
    ['', ['Mocked text from search']],
    ['Mocks { search = { returns = "one" } }', ['one']],
    [
      'Mocks { search = { returns = { "one", { text = "two", score = 0.5, item_id = "b.md" } } } }',
      ['one', 'two'],
    ],
    ['Mocks { search = { returns = { evidence = { "one" } } } }', ['one']],
    ['Mocks { search = { temporal = { "one", "two" } } } search("x")', ['two']],
    [
      'Mocks { search = { conditional = { { when = { query = "contains:kettle" }, returns = "kettles" } } } }',
      ['kettles'],
    ],
  ])('%s', (mocks, texts) => {
    const source = `${words}${mocks}
      local texts = {}
      for i, each in ipairs(search("a kettle").evidence) do texts[i] = each.text end
      return texts`;
    expect(outputOf(source, { mock })).toEqual(texts);
  });

  it('may be an error', () => {
    const source = `${words}Mocks { search = { error = "no corpus" } } search("x")`;
    expect(() => outputOf(source, { mock })).toThrow('no corpus');
  });
});
