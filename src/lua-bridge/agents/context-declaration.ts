import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { wordsOf } from '../../contract/text/texts.js';
import { DeclaredList } from '../kernel/index.js';

/** `Context {messages = {system(…), history(), user(…)}}`: what a model is sent, in order. */
export interface ContextDeclaration {
  name: string | null;
  messages: ContextDirective[];
  policy: ContextPolicy | null;
}

/** One place in the messages that a Context makes. */
export type ContextDirective =
  | { type: 'system' | 'user' | 'assistant'; template: string; values: JsonObject }
  | { type: 'history' }
  | PackDirective;

/** What a retriever finds, or another Context makes, in one place. */
export interface PackDirective {
  type: 'context';
  name: string;
  budget: PackBudget | null;
  /** Its share of what all packs may have, against the others; 1 without it. */
  weight: number;
  /** Those with more have their share first. */
  priority: number;
}

export const declaredContexts = new DeclaredList<ContextDeclaration>();

/**
 * Reads the list `messages`.
 * @throws TactusError source_invalid naming the item
 */
export function readDirectives(messages: JsonValue): ContextDirective[] {
  if (!Array.isArray(messages)) throw contextError('messages must be a list');
  return messages.map((each, i) => {
    const directive = isObject(each) ? each : {};
    const { type } = directive;
    if (type === 'history') return { type };
    if (type === 'context') return readPack(directive, `messages[${i + 1}]`);
    const text = directive['template'] ?? directive['content'];
    if ((type !== 'system' && type !== 'user' && type !== 'assistant') || typeof text !== 'string')
      throw contextError(`messages[${i + 1}] must be system(…), user(…), assistant(…) or history()`);
    const values = directive['vars'];
    return { type, template: text, values: isObject(values) ? values : {} };
  });
}

/** @throws TactusError source_invalid */
export function readPack({ name, budget, weight, priority }: JsonObject, what: string): PackDirective {
  if (typeof name !== 'string') throw contextError(`${what} must name a retriever or a Context`);
  return {
    ...{ type: 'context', name, budget: readBudget(budget ?? null, `${what}.budget`, '') },
    weight: readNumber(weight, `${what}.weight`, 0) ?? 1,
    priority: readNumber(priority, `${what}.priority`, Number.NEGATIVE_INFINITY) ?? 0,
  };
}

/** How much a pack may have, in words; `ratio` of what all may have. */
interface PackBudget {
  tokens: number | null;
  ratio: number | null;
}

/** How much a model is sent, and what becomes of what is more. Tokens are counted as words. */
export interface ContextPolicy {
  /** Of all that is sent; null: any. */
  inputTokens: number | null;
  /** Of all packs together; null: each for itself. */
  packs: PackBudget | null;
  /** What is too much is cut; else it is sent all the same. */
  isCut: boolean;
  /** Texts are cut after so many words, or to their first sentence. */
  cutting: 'truncate' | 'summary';
  /** How often it is tried with smaller packs. */
  rounds: number;
  /** Pages of a retriever until a pack is filled so far. */
  pages: number;
  fill: number;
}

const usualRounds = 2;

/**
 * Reads `policy` of a Context.
 * @throws TactusError source_invalid naming the field
 */
export function readPolicy(policy: JsonValue): ContextPolicy | null {
  if (policy === null) return null;
  const fields = tableOf(policy, 'policy');
  const input = readBudget(fields['input_budget'] ?? null, 'input_budget', '');
  const expansion = tableOf(fields['expansion'] ?? {}, 'expansion');
  const cutting = tableOf(fields['compactor'] ?? {}, 'compactor')['type'] ?? 'truncate';
  if (cutting !== 'truncate' && cutting !== 'summary')
    throw contextError(`compactor must be { type = "truncate" } or { type = "summary" }`);
  const { overflow = null } = fields;
  if (overflow !== null && overflow !== 'compact') throw contextError('overflow must be "compact"');
  return {
    inputTokens: input?.tokens ?? null,
    packs: readBudget(fields['pack_budget'] ?? null, 'pack_budget', 'default_'),
    isCut: overflow === 'compact',
    cutting,
    rounds: readNumber(fields['max_iterations'], 'max_iterations', 1) ?? usualRounds,
    pages: readNumber(expansion['max_pages'], 'expansion.max_pages', 1) ?? 1,
    fill: readNumber(expansion['min_fill_ratio'], 'expansion.min_fill_ratio', 0) ?? 1,
  };
}

/** `{max_tokens = 300}` or `{ratio = 0.3}`, with `default_` before them in a policy. */
function readBudget(budget: JsonValue, what: string, prefix: string): PackBudget | null {
  if (budget === null || (Array.isArray(budget) && budget.length === 0)) return null;
  const fields = tableOf(budget, what);
  const tokens = readNumber(fields[`${prefix}max_tokens`], `${what}.${prefix}max_tokens`, 1);
  const ratio = readNumber(fields[`${prefix}ratio`], `${what}.${prefix}ratio`, 0);
  if (tokens === null && ratio === null)
    throw contextError(`${what} must have ${prefix}max_tokens or ${prefix}ratio`);
  return { tokens: tokens === null ? null : Math.floor(tokens), ratio };
}

/** In words; null: it says nothing, or a share of nothing that is known. */
export function tokensOf(budget: PackBudget | null, policy: ContextPolicy | null): number | null {
  if (budget === null) return null;
  if (budget.tokens !== null) return budget.tokens;
  const input = policy?.inputTokens ?? null;
  return budget.ratio === null || input === null ? null : Math.floor(input * budget.ratio);
}

function readNumber(value: JsonValue | undefined, what: string, least: number): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= least) return value;
  throw contextError(`${what} must be a number from ${least}`);
}

function tableOf(value: JsonValue, what: string): JsonObject {
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw contextError(`${what} must be a table`);
}

function contextError(problem: string): TactusError {
  return new TactusError('source_invalid', `Context: ${problem}`);
}

/** Tokens as the reference estimates them. */
export function countWords(text: string): number {
  return wordsOf(text).length;
}

/** A text of so many words at most; of one that has more the beginning, or its first sentence. */
export function cutWords(text: string, most: number, cutting: ContextPolicy['cutting'] = 'truncate'): string {
  if (countWords(text) <= most) return text;
  const kept = cutting === 'summary' ? (text.split('. ').find((each) => each !== '') ?? '').trim() : text;
  const words = wordsOf(kept);
  return words.length <= most ? kept : words.slice(0, most).join(' ');
}

/**
 * What each of several packs may have of so many words: by their weights, and what is left over for the first. One that comes too
 * late in the order of priority has no share.
 */
export function sharesOf(packs: readonly PackDirective[], total: number): Map<PackDirective, number> {
  const order = [...packs].sort((a, b) => b.priority - a.priority || b.weight - a.weight);
  const weights = order.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<PackDirective, number>();
  let left = Math.floor(total);
  for (const pack of order) {
    if (left <= 0) break;
    const share = Math.min(left, Math.max(1, Math.floor((total * pack.weight) / weights)));
    shares.set(pack, share);
    left -= share;
  }
  const [first] = order;
  if (first !== undefined && left > 0) shares.set(first, (shares.get(first) ?? 0) + left);
  return shares;
}
