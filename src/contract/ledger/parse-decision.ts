import type { Decision } from '../decision.js';
import { isObject, type JsonObject, type JsonValue } from '../json.js';
import { isJson } from './is-json.js';
import { quoteText } from './quote-text.js';

/**
 * Longest texts that a decision may carry, in UTF-16 units. A workflow id has at most 1,000 bytes, a position comes on
 * top. The comment is measured when the decision is settled: its sender then gets a verdict.
 */
const longest = { request: 2_000, by: 500, digest: 100, id: 500, comment: Infinity } as const;

type TextKey = keyof typeof longest;

/**
 * Reads what a signal or an Update brought, with all of its arguments; a text is the reason why it isn't a
 * decision. Whether it counts is not asked here. An optional part that is null counts as left out.
 */
export function parseDecision(...args: unknown[]): Decision | string {
  const [input] = args;
  if (args.length !== 1) return `a decision is one argument, a JSON object, not ${args.length} arguments`;
  if (!isJson(input) || !isObject(input)) {
    return `a decision is a JSON object {"request", "value"}, not ${describe(input)}`;
  }
  const stranger = Object.keys(input).find((key) => key !== 'value' && !Object.hasOwn(longest, key));
  if (stranger !== undefined) {
    return `a decision has no ${quoteText(stranger)}: it has request, value, by, comment, digest and id`;
  }
  const { value } = input;
  if (!Object.hasOwn(input, 'value') || value === undefined) return 'a decision needs a value';
  return readTexts(input, value);
}

function readTexts(input: JsonObject, value: JsonValue): Decision | string {
  const decision: Decision = { request: '', value };
  for (const key of Object.keys(longest) as TextKey[]) {
    const text = input[key] ?? null;
    if (text === null && key !== 'request') continue;
    if (typeof text !== 'string' || (text === '' && key !== 'comment')) {
      return text === null
        ? 'a decision needs a request'
        : `the ${key} of a decision is a text, not ${quoteText(text)}`;
    }
    if (text.length > longest[key]) return `the ${key} of a decision has at most ${longest[key]} characters`;
    decision[key] = text;
  }
  return decision;
}

function describe(input: unknown): string {
  if (input === undefined) return 'nothing';
  return isJson(input) ? quoteText(input) : 'something that JSON has no form for or that is nested too deep';
}
