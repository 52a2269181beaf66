import type { OptionValue } from '../human-request.js';
import type { JsonObject, JsonValue } from '../../json/json.js';
import { quoteText } from './quote-text.js';

/** What a decision's value says, in its one normal form; the comment is one that stood inside of the value. */
export interface AnswerValue {
  value: JsonValue;
  comment: string | null;
}

export function notOffered(options: readonly OptionValue[], value: JsonValue): string {
  return `${quoteText(value)} is none of the options ${quoteText([...options])}`;
}

export function hasOther(value: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(value).some((key) => !keys.includes(key));
}
