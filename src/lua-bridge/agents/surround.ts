import { TactusError } from '../../contract/errors.js';
import type { Evidence } from '../../contract/retrieval/retrieval.js';
import type { Message } from '../../contract/models/model-call.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import type { ContextDeclaration } from './context-declaration.js';
import { withoutTornCalls } from './conversation.js';
import { countWords, cutWords } from './cut-words.js';
import { sharesOf } from './pack-shares.js';
import { filled, packTokens, renderPack, type PackTurn } from './render-pack.js';
import type { TemplateValues } from './template.js';

/** What a turn is sent beside its question. */
export interface Surroundings {
  system: string | null;
  head: Message[];
  history: Message[];
  tail: Message[];
}

export interface SurroundedTurn {
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
export function* surround(
  turn: SurroundedTurn,
  context: ContextDeclaration,
): Generator<Step, Surroundings, unknown> {
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
  { bridge, L, values: given, base, message, history }: SurroundedTurn,
  { messages, policy }: ContextDeclaration,
  round: number,
  pages: PackTurn['pages'],
): Generator<Step, Surroundings, unknown> {
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
  whole: Surroundings,
  message: string,
  most: number,
  cutting: 'truncate' | 'summary',
): { fitting: Surroundings; isCut: boolean } {
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
