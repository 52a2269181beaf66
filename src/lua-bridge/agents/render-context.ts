import { TactusError } from '../../contract/errors.js';
import type { Evidence, RetrievalBounds } from '../../contract/retrieval/retrieval.js';
import type { Message } from '../../contract/models/model-call.js';
import { globalNameOf, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import {
  countWords,
  cutWords,
  declaredContexts,
  sharesOf,
  tokensOf,
  type ContextDeclaration,
  type ContextPolicy,
  type PackDirective,
} from './context-declaration.js';
import { withoutTornCalls } from './conversation.js';
import { fillTemplate, type TemplateValues } from './turn-request.js';
import { askRetriever, textsIn } from '../retrieval/ask-retriever.js';
import { declaredRetrievers, type RetrieverDeclaration } from '../retrieval/retriever-declaration.js';

/** What a turn is sent beside its question. */
export interface ContextMessages {
  system: string | null;
  head: Message[];
  history: Message[];
  tail: Message[];
}

export interface ContextTurn {
  bridge: Bridge;
  L: LuaState;
  values: TemplateValues;
  /** The system prompt without the Context's part; null: none. */
  base: string | null;
  /** What the agent is asked. */
  message: string;
  history: Message[];
}

/**
 * Puts a Context round the history, with what its retrievers find. Where that is more than its policy allows, packs are made
 * smaller, then the oldest messages and the end of the system prompt are left out.
 */
export function* renderContext(
  turn: ContextTurn,
  context: ContextDeclaration,
): Generator<Step, ContextMessages, unknown> {
  const { policy } = context;
  const pages = new Map<string, Evidence[]>();
  for (let round = 0; ; round++) {
    const whole = yield* assemble(turn, context, round, pages);
    const most = policy?.isCut === true ? policy.inputTokens : null;
    if (most === null || policy === null) return whole;
    const { fitting, isCut } = fit(whole, turn.message, most, policy.cutting);
    if (!isCut || round + 1 >= policy.rounds) return fitting;
  }
}

function* assemble(
  { bridge, L, values: given, base, message, history }: ContextTurn,
  { messages, policy }: ContextDeclaration,
  round: number,
  pages: PackTurn['pages'],
): Generator<Step, ContextMessages, unknown> {
  const system = base === null ? [] : [base];
  const head: Message[] = [];
  let tail: Message[] | null = null;
  let values = given;
  const total = packTokens(policy, round);
  const packs = messages.filter((each) => each.type === 'context');
  const shares = total === null ? null : sharesOf(packs, total);
  for (const directive of messages) {
    if (directive.type === 'history') {
      // Who wants it twice has it twice.
      if (tail === null) tail = [];
      else tail.push(...history);
    } else if (directive.type === 'context') {
      if (!bridge.holds('retrieval'))
        throw new TactusError(
          'lua_error',
          `context(${JSON.stringify(directive.name)}) needs a retriever, and there are none yet; put the text in with user(…)`,
        );
      const share = shares?.get(directive) ?? null;
      const turn = { bridge, L, query: message, values, round, pages };
      const text = yield* renderPack(turn, directive, policy, share);
      values = { ...values, context: { ...values.context, [directive.name]: text } };
      if (text !== '') system.push(text);
    } else {
      const content = filled(bridge, directive, values);
      if (directive.type === 'system') system.push(content);
      else (tail ?? head).push({ role: directive.type, content });
    }
  }
  return { system: system.length === 0 ? null : system.join('\n\n'), head, history, tail: tail ?? [] };
}

/** The same within so many words: without the oldest messages of the history, then with less of the system prompt. */
function fit(
  whole: ContextMessages,
  message: string,
  most: number,
  cutting: 'truncate' | 'summary',
): { fitting: ContextMessages; isCut: boolean } {
  const { system, head, history, tail } = whole;
  const wordsIn = (messages: readonly Message[]): number =>
    messages.reduce((sum, { content }) => sum + countWords(content), 0);
  const around = wordsIn([...head, ...tail]) + countWords(message);
  const ofSystem = countWords(system ?? '');
  let first = 0;
  let ofHistory = wordsIn(history);
  while (first < history.length && ofSystem + around + ofHistory > most)
    ofHistory -= wordsIn(history.slice(first, ++first));
  const left = most - around - ofHistory;
  const isTooMuch = ofSystem > left;
  const kept = system === null || !isTooMuch ? system : cutWords(system, Math.max(0, left), cutting) || null;
  const shorter = first === 0 ? history : withoutTornCalls(history.slice(first));
  return { fitting: { ...whole, system: kept, history: shorter }, isCut: first > 0 || isTooMuch };
}

/** Contexts in contexts: one that holds itself must end somewhere. */
const deepest = 8;

/** What packs are made for: one turn, whose retrievers are each asked once for a page. */
interface PackTurn {
  bridge: Bridge;
  L: LuaState;
  /** What is looked up where a retriever doesn't say. */
  query: string;
  values: TemplateValues;
  /** 0 at first; each further round makes do with half of the round before. */
  round: number;
  pages: Map<string, Evidence[]>;
}

/** The text of one pack; '' where nothing is found. @throws TactusError lua_error where nothing has its name */
function* renderPack(
  turn: PackTurn,
  pack: PackDirective,
  policy: ContextPolicy | null,
  share: number | null,
  depth = 0,
): Generator<Step, string, unknown> {
  const { bridge, L } = turn;
  const isNamed = (each: { name: string | null }): boolean =>
    (each.name ?? globalNameOf(L, each)) === pack.name;
  const tokens = share ?? tokensOf(pack.budget, policy);
  const context = declaredContexts.of(bridge).find(isNamed);
  if (context !== undefined) return yield* renderNested(turn, context, policy, tokens, depth + 1);
  const retriever = declaredRetrievers.of(bridge).find(isNamed);
  if (retriever === undefined)
    throw new TactusError('lua_error', `context("${pack.name}") names no retriever and no Context`);
  return yield* renderRetriever(turn, retriever, policy, tokens);
}

function* renderNested(
  turn: PackTurn,
  context: ContextDeclaration,
  outer: ContextPolicy | null,
  tokens: number | null,
  depth: number,
): Generator<Step, string, unknown> {
  if (depth > deepest)
    throw new TactusError('lua_error', `Contexts hold each other more than ${deepest} deep`);
  const policy = context.policy ?? outer;
  const packs = context.messages.filter((each) => each.type === 'context');
  const total = tokens ?? packTokens(policy, turn.round);
  const shares = policy?.packs == null || total === null ? null : sharesOf(packs, total);
  const parts: string[] = [];
  let { values } = turn;
  for (const directive of context.messages) {
    if (directive.type === 'history')
      throw new TactusError('lua_error', 'a Context in another one can have no history()');
    if (directive.type === 'context') {
      const share = shares?.get(directive) ?? null;
      const text = yield* renderPack({ ...turn, values }, directive, policy, share, depth);
      values = { ...values, context: { ...values.context, [directive.name]: text } };
      parts.push(text);
    } else parts.push(filled(turn.bridge, directive, values));
  }
  const text = parts.filter((part) => part !== '').join('\n\n');
  return tokens === null ? text : cutWords(text, tokens, (outer ?? policy)?.cutting);
}

/** What all packs of a Context may have in a round; null: each what it says for itself. */
function packTokens(policy: ContextPolicy | null, round: number): number | null {
  const total = tokensOf(policy?.packs ?? null, policy);
  return total === null ? null : Math.max(1, Math.floor(total * 0.5 ** round));
}

function filled(
  bridge: Bridge,
  { template, values: given }: { template: string; values: TemplateValues['params'] },
  values: TemplateValues,
): string {
  return fillTemplate(
    template,
    { ...values, params: { ...values.params, ...given } },
    bridge.limits.payloadBytes,
  );
}

function* renderRetriever(
  turn: PackTurn,
  retriever: RetrieverDeclaration,
  policy: ContextPolicy | null,
  tokens: number | null,
): Generator<Step, string, unknown> {
  const { bridge, query: asked, values, round } = turn;
  const input = { ...values.input, message: asked, question: asked };
  const written = retriever.query ?? '';
  const query = fillTemplate(written, { ...values, input }, bridge.limits.payloadBytes).trim() || asked;
  if (query === '') return '';
  const evidence = yield* pagesOf(turn, retriever, query, policy, tokens);
  const texts = textsIn(fewer(evidence, boundsOf(retriever, tokens), round));
  if (tokens === null) return texts.join(retriever.joinWith);
  while (texts.length > 0 && countWords(texts.join(retriever.joinWith)) > tokens) texts.pop();
  return texts.join(retriever.joinWith);
}

/** Characters that a word is taken for. */
const charactersPerWord = 4;

function boundsOf({ bounds }: RetrieverDeclaration, tokens: number | null): RetrievalBounds {
  if (tokens === null) return bounds;
  const characters = tokens * charactersPerWord;
  return { ...bounds, characters: Math.min(bounds.characters ?? characters, characters) };
}

/** Page after page, until the pack is full, or there is no more. */
function* pagesOf(
  turn: PackTurn,
  retriever: RetrieverDeclaration,
  query: string,
  policy: ContextPolicy | null,
  tokens: number | null,
): Generator<Step, Evidence[], unknown> {
  const { bridge, L, pages } = turn;
  const bounds = boundsOf(retriever, tokens);
  const all: Evidence[] = [];
  for (let page = 0; page < (policy?.pages ?? 1); page++) {
    const asked = { ...bounds, offset: bounds.offset + page * bounds.limit };
    // What a round has asked, the next one asks no more.
    const key = JSON.stringify([declaredRetrievers.of(bridge).indexOf(retriever), query, asked.offset]);
    const found = pages.get(key) ?? (yield* askRetriever(bridge, L, retriever, query, asked)).evidence;
    pages.set(key, found);
    all.push(...found);
    const isFull = countWords(textsIn(all).join(retriever.joinWith)) >= (tokens ?? 0) * (policy?.fill ?? 1);
    if (tokens === null || found.length < bounds.limit || isFull) break;
  }
  return all;
}

/** What a later round makes do with of what was found. */
function fewer(evidence: Evidence[], { limit, characters }: RetrievalBounds, round: number): Evidence[] {
  if (round === 0) return evidence;
  const most = characters === null ? Number.POSITIVE_INFINITY : Math.max(1, characters >> 1);
  let length = 0;
  return evidence
    .filter(({ text }) => {
      const fits = length + text.length <= most;
      if (fits) length += text.length;
      return fits;
    })
    .slice(0, Math.max(1, limit >> 1));
}
