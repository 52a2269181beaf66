import type { JsonValue } from '../../contract/json/json.js';
import { textsOf } from '../values/config-table.js';
import { wrong } from './wrong.js';

/** Those that the reference passes over. */
const english =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

/**
 * `stop_words = "english"`, or a list: what full-text search passes over in a question.
 * @throws TactusError source_invalid
 */
export function stopWordsOf(said: JsonValue, what: string): string[] {
  if (said === null) return [];
  if (said === 'english') return english.split(' ');
  const words = Array.isArray(said) && said.every((each) => typeof each === 'string') ? textsOf(said) : null;
  if (words === null) throw wrong(`${what}: stop_words must be "english", or a list of words`);
  return words.map((word) => word.trim().toLowerCase());
}
