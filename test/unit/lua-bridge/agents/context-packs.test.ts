import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import type { Retrieval } from '../../../../src/contract/retrieval/retrieval.js';
import { converse, sent } from '../../../support/converse.js';

/** Ten texts of three words that are all found by any question, in pages. */
const texts = Array.from({ length: 10 }, (_, i) => `text number ${i}`);

function run(source: string): {
  asked: Retrieval[];
  calls: ModelCall[];
  output: unknown;
  performed: string[];
} {
  const asked: Retrieval[] = [];
  const { calls, output, performed } = converse(source, [], {
    input: { topic: 'tea' },
    perform: (effect) => {
      if (effect.kind !== 'retrieve') throw new Error(`asked for ${effect.kind}`);
      const { retrieval } = effect;
      asked.push(retrieval);
      const { limit, offset } = retrieval.bounds;
      const evidence = texts.slice(offset, offset + limit).map((text, i) => ({
        ...{ id: text, item_id: text, rank: i + 1, score: 1, text, span_start: 0, span_end: 1 },
      }));
      return { evidence, version: 'sha256:1', model_version: null, files: 10, chunks: 10 };
    },
  });
  return { asked, calls, output, performed };
}

const search = (fields = ''): string =>
  `search = Retriever { corpus = Corpus { root = "notes" }, retriever_id = "tf-vector", ${fields} }\n`;
const agent = 'a = Agent { context = c, system_prompt = "base" }\n';
const found = (...numbers: number[]): string => numbers.map((i) => texts[i]).join('\n\n');

describe('a Context with packs', () => {
  it.each([
    ['c = Context { packs = { search } }', `base\n\n${found(0, 1, 2)}`],
    ['c = Context { packs = search }', `base\n\n${found(0, 1, 2)}`],
    ['c = Context { packs = "search" }', `base\n\n${found(0, 1, 2)}`],
    ['c = Context { packs = { { name = search, budget = { max_tokens = 6 } } } }', `base\n\n${found(0, 1)}`],
    [
      'c = Context { messages = { system("Know this:"), context(search), user("x"), history() } }',
      `base\n\nKnow this:\n\n${found(0, 1, 2)}`,
    ],
    ['c = Context { messages = { context(search, { max_tokens = 4 }) } }', `base\n\n${found(0)}`],
    [
      'c = Context { messages = { context(search), system(template("Sources: {context.search}")) } }',
      `base\n\n${found(0, 1, 2)}\n\nSources: ${found(0, 1, 2)}`,
    ],
    [
      'inner = Context { messages = { system("Inside:"), context(search) } } c = Context { packs = { inner } }',
      `base\n\nInside:\n\n${found(0, 1, 2)}`,
    ],
    [
      'c = Context { packs = { search }, policy = { pack_budget = { default_max_tokens = 6 } } }',
      `base\n\n${found(0, 1)}`,
    ],
    [
      'c = Context { packs = { search }, policy = { input_budget = { max_tokens = 12 }, pack_budget = { default_ratio = 0.5 } } }',
      `base\n\n${found(0, 1)}`,
    ],
    [
      'c = Context { packs = { search, { name = search, weight = 2 } }, policy = { pack_budget = { default_max_tokens = 9 } } }',
      `base\n\n${found(0)}\n\n${found(0, 1)}`,
    ],
  ])('%s', (declared, system) => {
    const { calls } = run(`${search()}${declared} ${agent}a("kettles")`);
    expect(calls[0]?.system).toBe(system);
  });

  it.each([
    ['', 'a("kettles")', 'kettles'],
    ['', 'a { message = "kettles", query = "teapots" }', 'teapots'],
    ['query = "{input.topic}: {input.message}"', 'a("kettles")', 'tea: kettles'],
  ])('looks up what { %s } says in %s', (fields, call, query) => {
    const { asked, performed } = run(`${search(fields)}c = Context { packs = { search } } ${agent}${call}`);
    expect(asked).toMatchObject([{ retriever: 'search', query }]);
    // One checkpoint of its own, in the turn.
    expect(performed).toEqual(['retrieve 0.0', 'model_call 0.1']);
  });

  it('reads pages until the pack is as full as it says, or there is no more', () => {
    const policy = (pages: number, fill: number): string =>
      `c = Context { packs = { search }, policy = { pack_budget = { default_max_tokens = 18 }, expansion = { max_pages = ${pages}, min_fill_ratio = ${fill} } } } ${agent}a("x")`;
    const offsets = (source: string): number[] => run(source).asked.map(({ bounds }) => bounds.offset);
    expect(offsets(search('limit = 2') + policy(9, 1))).toEqual([0, 2, 4]);
    expect(offsets(search('limit = 2') + policy(9, 0.5))).toEqual([0, 2]);
    expect(offsets(search('limit = 2') + policy(2, 1))).toEqual([0, 2]);
    expect(offsets(search('limit = 4') + policy(9, 1))).toEqual([0, 4]);
  });

  it('keeps within its budget: with smaller packs, then without the oldest messages and the end of the prompt', () => {
    const policy = (most: number, more = ''): string =>
      `c = Context { packs = { search }, policy = { input_budget = { max_tokens = ${most} }, overflow = "compact", ${more} } } ${agent}`;
    const twice = 'a("one two three") a("four")';
    const fits = run(`${search()}${policy(100)}${twice}`);
    expect(sent(fits.calls[1])).toBe('user: one two three | assistant: hello | user: four');
    const smaller = run(`${search('limit = 2')}${policy(9)}${twice}`);
    expect(smaller.calls[1]?.system).toBe(`base\n\n${found(0)}`);
    expect(sent(smaller.calls[1])).toBe('user: one two three | assistant: hello | user: four');
    const cut = run(`${search('limit = 2')}${policy(4, 'max_iterations = 1')}${twice}`);
    expect(cut.calls[1]?.system).toBe('base text number');
    expect(sent(cut.calls[1])).toBe('user: four');
    // A round more asks no retriever anew.
    expect(smaller.asked).toHaveLength(2);
    const untouched = run(`${search('limit = 2')}${policy(4).replace('overflow = "compact",', '')}${twice}`);
    expect(untouched.calls[1]?.system).toBe(`base\n\n${found(0, 1)}`);
  });

  it.each([
    ['Context { policy = { overflow = "drop" } }', 'overflow must be "compact"'],
    ['Context { policy = { compactor = { type = "magic" } } }', 'compactor must be'],
    [
      'Context { policy = { pack_budget = { max_tokens = 5 } } }',
      'must have default_max_tokens or default_ratio',
    ],
    ['Context { policy = { input_budget = { max_tokens = "many" } } }', 'must be a number from 1'],
    ['Context { policy = 5 }', 'policy must be a table'],
    ['Context { packs = { 5 } }', 'packs[1] must name a retriever or a Context'],
    ['context(function() end)', 'a retriever, a Context or a name expected'],
    ['c = Context { packs = { "c" } }', 'Contexts hold each other more than 8 deep'],
    [
      'inner = Context { messages = { history() } } c = Context { packs = { inner } }',
      'a Context in another one can have no history()',
    ],
  ])('%s is a fault', (declared, message) => {
    const assigned = declared.includes('c = ') ? declared : `c = ${declared}`;
    expect(run(`${search()}${assigned} ${agent}return a("kettles")`).output).toContain(message);
  });
});
