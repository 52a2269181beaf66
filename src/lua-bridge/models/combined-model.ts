import { TactusError } from '../../contract/errors.js';
import { canonicalJson, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** A model that is made of others: it asks all of them and puts together what they say, or one of them. */
export type Combination =
  | { kind: 'ensemble'; strategy: 'vote' | 'average' }
  | { kind: 'split'; weights: number[]; seed: number | null };

export interface Member {
  name: string | null;
  config: JsonObject;
}

/**
 * @returns null where the type isn't one of those
 * @throws TactusError source_invalid naming the field
 */
export function readCombination(
  type: string,
  fields: JsonObject,
  what: string,
): { combination: Combination; members: Member[] } | null {
  if (type === 'ensemble') {
    const { strategy = 'vote' } = fields;
    if (strategy !== 'vote' && strategy !== 'average')
      throw new TactusError('source_invalid', `${what}: strategy must be "vote" or "average"`);
    return { combination: { kind: 'ensemble', strategy }, members: readMembers(fields, 'members', what) };
  }
  if (type !== 'ab_test' && type !== 'traffic_split') return null;
  const members = readMembers(fields, 'arms', what);
  const { weights = members.map(() => 1), seed = null } = fields;
  const isWeights =
    Array.isArray(weights) &&
    weights.length === members.length &&
    weights.every((weight) => typeof weight === 'number' && weight >= 0) &&
    weights.some((weight) => Number(weight) > 0);
  if (!isWeights)
    throw new TactusError(
      'source_invalid',
      `${what}: weights must be one number for each arm, none below 0 and not all of them 0`,
    );
  if (seed !== null && typeof seed !== 'number')
    throw new TactusError('source_invalid', `${what}: seed must be a number`);
  return { combination: { kind: 'split', weights: weights.map(Number), seed }, members };
}

function readMembers(fields: JsonObject, key: 'members' | 'arms', what: string): Member[] {
  const given = fields[key] ?? null;
  if (!Array.isArray(given) || given.length === 0)
    throw new TactusError(
      'source_invalid',
      `${what}: ${key} must be a list of models, each a table with a type`,
    );
  return given.map((config, i) => {
    if (!isObject(config))
      throw new TactusError('source_invalid', `${what}: ${key}[${i + 1}] must be a table with a type`);
    const { name = null } = config;
    return { name: typeof name === 'string' ? name : null, config };
  });
}

/** What several models say together: the value that most of them gave, or the mean of the numbers among them. */
export function combine(strategy: 'vote' | 'average', outputs: readonly JsonValue[]): JsonValue {
  if (strategy === 'average') {
    const numbers = outputs.filter((output) => typeof output === 'number');
    return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  }
  const votes = new Map<string, { count: number; value: JsonValue }>();
  for (const value of outputs) {
    const vote = voteOf(value);
    const known = votes.get(vote);
    if (known === undefined) votes.set(vote, { count: 1, value });
    else known.count++;
  }
  let most = { count: 0, value: null as JsonValue };
  for (const each of votes.values()) if (each.count > most.count) most = each;
  return most.value;
}

/** Classifiers agree where they give the same label, however sure each of them is. */
function voteOf(value: JsonValue): string {
  const label = isObject(value) ? value['label'] : undefined;
  return canonicalJson(label ?? value);
}

/** Which of the arms a number from 0 to 1 stands for. */
export function armOf(weights: readonly number[], chance: number): number {
  let left = chance * weights.reduce((sum, weight) => sum + weight, 0);
  const arm = weights.findIndex((weight) => (left -= weight) < 0);
  return arm === -1 ? weights.length - 1 : arm;
}
