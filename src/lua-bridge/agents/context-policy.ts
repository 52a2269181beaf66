import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** How much a pack may have, in words; `ratio` of what all may have. */
export interface PackBudget {
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
    throw wrong(`compactor must be { type = "truncate" } or { type = "summary" }`);
  const { overflow = null } = fields;
  if (overflow !== null && overflow !== 'compact') throw wrong('overflow must be "compact"');
  return {
    inputTokens: input?.tokens ?? null,
    packs: readBudget(fields['pack_budget'] ?? null, 'pack_budget', 'default_'),
    isCut: overflow === 'compact',
    cutting,
    rounds: number(fields['max_iterations'], 'max_iterations', 1) ?? usualRounds,
    pages: number(expansion['max_pages'], 'expansion.max_pages', 1) ?? 1,
    fill: number(expansion['min_fill_ratio'], 'expansion.min_fill_ratio', 0) ?? 1,
  };
}

/** `{max_tokens = 300}` or `{ratio = 0.3}`, with `default_` before them in a policy. */
export function readBudget(budget: JsonValue, what: string, prefix: string): PackBudget | null {
  if (budget === null || (Array.isArray(budget) && budget.length === 0)) return null;
  const fields = tableOf(budget, what);
  const tokens = number(fields[`${prefix}max_tokens`], `${what}.${prefix}max_tokens`, 1);
  const ratio = number(fields[`${prefix}ratio`], `${what}.${prefix}ratio`, 0);
  if (tokens === null && ratio === null)
    throw wrong(`${what} must have ${prefix}max_tokens or ${prefix}ratio`);
  return { tokens: tokens === null ? null : Math.floor(tokens), ratio };
}

/** In words; null: it says nothing, or a share of nothing that is known. */
export function tokensOf(budget: PackBudget | null, policy: ContextPolicy | null): number | null {
  if (budget === null) return null;
  if (budget.tokens !== null) return budget.tokens;
  const input = policy?.inputTokens ?? null;
  return budget.ratio === null || input === null ? null : Math.floor(input * budget.ratio);
}

export function number(value: JsonValue | undefined, what: string, least: number): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= least) return value;
  throw wrong(`${what} must be a number from ${least}`);
}

function tableOf(value: JsonValue, what: string): JsonObject {
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw wrong(`${what} must be a table`);
}

export function wrong(problem: string): TactusError {
  return new TactusError('source_invalid', `Context: ${problem}`);
}
