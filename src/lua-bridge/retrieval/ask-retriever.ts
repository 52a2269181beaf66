import { digestOf } from '../../contract/effects/digest.js';
import { asJson, isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Evidence, RetrievalBounds, RetrievalResult } from '../../contract/retrieval/retrieval.js';
import { recorded } from '../checkpoints/checkpointed.js';
import { globalNameOf, mapPart, PerRun, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { mocks } from '../mocks/mocks.js';
import { declaredRetrievers, type RetrieverDeclaration } from './retriever-declaration.js';

/** What each retriever said of its corpus, and of its model, when the run last asked it. */
const versions = new PerRun(
  () => new Map<string, { corpus: string; model: string | null }>(),
  mapPart('versions of corpora'),
);

export function retrieverName(bridge: Bridge, retriever: RetrieverDeclaration): string {
  retriever.name ??=
    globalNameOf(bridge.L, retriever) ?? `retriever_${declaredRetrievers.of(bridge).indexOf(retriever) + 1}`;
  return retriever.name;
}

/**
 * Looks something up, or has its mock say what is found. A checkpoint.
 * @param query null: the index is brought up to date, and nothing is looked up
 */
export function* askRetriever(
  bridge: Bridge,
  L: LuaState,
  retriever: RetrieverDeclaration,
  query: string | null,
  bounds: RetrievalBounds,
): Generator<Step, RetrievalResult, unknown> {
  const name = retrieverName(bridge, retriever);
  const mocked = mockOf(bridge, name, query);
  if (mocked !== null) {
    const spec = { type: 'retrieve', name, input: query, digest: digestOf(query) } as const;
    return jsonAs<RetrievalResult>(yield* recorded(bridge, L, spec, () => asJson(mocked)));
  }
  const retrieval = { retriever: name, setup: retriever.setup, query, bounds };
  const title = query === null ? `${name} · index` : name;
  const effect = { kind: 'retrieve', retrieval } as const;
  const found = (yield { effect: { type: 'retrieve', name, title, effect } }) as RetrievalResult;
  noticeChange(bridge, name, found);
  return found;
}

/** What an index holds, as a procedure is told. */
export function shownIndex({ version, model_version: model, files, chunks }: RetrievalResult): JsonObject {
  return { version, ...(model === null ? {} : { model_version: model }), files, chunks };
}

function mockOf(bridge: Bridge, name: string, query: string | null): RetrievalResult | null {
  const { all } = mocks.of(bridge);
  const said = mocks.of(bridge).result(name, { query }, 'retrieval_failed');
  if (said === null && !all) return null;
  const items = query === null ? [] : said === null ? [`Mocked text from ${name}`] : itemsOf(said.value);
  const evidence = items.map(mockedEvidence);
  return { evidence, version: 'mock', model_version: null, files: evidence.length, chunks: evidence.length };
}

/** A text, a list of texts and of `{text, score, item_id}`, or a table with such a list as `evidence`. */
function itemsOf(said: JsonValue): JsonValue[] {
  if (Array.isArray(said)) return said;
  const listed = isObject(said) ? (said['evidence'] ?? null) : null;
  return Array.isArray(listed) ? listed : [said];
}

function mockedEvidence(said: JsonValue, i: number): Evidence {
  const fields = isObject(said) ? said : { text: said };
  const text = typeof fields['text'] === 'string' ? fields['text'] : JSON.stringify(fields['text'] ?? '');
  const item = typeof fields['item_id'] === 'string' ? fields['item_id'] : `mock-${i + 1}`;
  const { score = 1 } = fields;
  return {
    ...{ id: `${item}#0-${text.length}`, item_id: item, rank: i + 1, score: Number(score) },
    ...{ text, span_start: 0, span_end: text.length },
  };
}

/** What was found stands; that later questions are asked of other texts, or by another model, is said. */
function noticeChange(
  bridge: Bridge,
  name: string,
  { version, model_version: model }: RetrievalResult,
): void {
  const known = versions.of(bridge);
  const before = known.get(name);
  known.set(name, { corpus: version, model });
  if (before === undefined) return;
  const tell = (what: string, was: string | null, now: string | null): void => {
    if (was === now) return;
    const message = `The ${what} of the retriever ${name} is another one than this run has asked before`;
    bridge.show({ kind: 'log', level: 'warning', message, context: { retriever: name, before: was, now } });
  };
  tell('corpus', before.corpus, version);
  tell('model', before.model, model);
}

/** What a procedure gets of what was found. */
export function shownResult(query: string, result: RetrievalResult, joinWith: string): JsonObject {
  const { evidence, version, model_version: model } = result;
  return {
    query,
    text: textsIn(evidence).join(joinWith),
    evidence: asJson(evidence),
    evidence_count: evidence.length,
    version,
    ...(model === null ? {} : { model_version: model }),
  };
}

/** The texts that count, as they go into a prompt. */
export function textsIn(evidence: readonly Evidence[]): string[] {
  return evidence.map(({ text }) => text.trim()).filter((text) => text !== '');
}
