import { TactusError, type ErrorCode } from '../errors.js';
import { isObject, type JsonValue } from '../json/json.js';

/** Keys and values of one's own on a run, by which runs are found: `{ team: 'crm' }`. */
export type Labels = Record<string, string>;

/** So many a run has at most. */
export const mostLabels = 20;
const longestValue = 100;

const keyPattern = /^[A-Za-z0-9][\w.-]{0,62}$/;
/** Servers write quotes, backslashes and control characters in ways that their databases then don't find. */
const valuePattern = /^[^"\\\p{Cc}\p{Cs}]+$/u;

/** Why a pair is no label; null: it is one. */
export function labelProblem(key: string, value: JsonValue): string | null {
  const shown = JSON.stringify(key.slice(0, longestValue));
  if (!keyPattern.test(key))
    return `${shown} is no key of a label: letters, digits, "_", "-" and ".", 63 at most`;
  if (typeof value !== 'string' || value.length > longestValue || !valuePattern.test(value))
    return `the label ${shown} needs a text of 1 to ${longestValue} characters, without quotes, backslashes and control characters`;
  return null;
}

/** What is wrong with labels, from whatever client; null: nothing. */
export function labelsProblem(given: JsonValue): string | null {
  if (!isObject(given)) return 'labels are an object of keys and texts, such as {"team": "crm"}';
  const pairs = Object.entries(given);
  if (pairs.length > mostLabels) return tooManyLabels;
  for (const [key, value] of pairs) {
    const problem = labelProblem(key, value);
    if (problem !== null) return problem;
  }
  return null;
}

export const tooManyLabels = `a run has at most ${mostLabels} labels`;

/** @throws TactusError */
export function assertLabels(labels: Labels, code: ErrorCode = 'usage'): void {
  const problem = labelsProblem(labels);
  if (problem !== null) throw new TactusError(code, `Labels: ${problem}`);
}

/**
 * Reads `team=crm`, several of them.
 * @throws TactusError usage
 */
export function readLabels(given: readonly string[]): Labels {
  const pairs = given.map((item): [string, string] => {
    const at = item.indexOf('=');
    if (at < 1) throw new TactusError('usage', `A label is KEY=VALUE, such as team=crm, not ${item}`);
    return [item.slice(0, at), item.slice(at + 1)];
  });
  const labels = Object.fromEntries(pairs);
  if (Object.keys(labels).length < pairs.length)
    throw new TactusError('usage', `Labels: one key has one value: ${given.join(' and ')}`);
  assertLabels(labels);
  return labels;
}

/** As they stand in Temporal's list of workflows, and as people read them: `team=crm`. In the order of their keys. */
export function labelItems(labels: Labels): string[] {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`);
}
