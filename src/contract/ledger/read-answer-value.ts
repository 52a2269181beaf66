import { isObject, type JsonObject, type JsonValue } from '../json.js';
import type { HumanRequest } from '../human-request.js';
import { quoteText } from './quote-text.js';

type Readable = Pick<HumanRequest, 'kind' | 'options'>;

/** What a decision's value says, in its one normal form; the comment is one that stood inside of the value. */
export interface AnswerValue {
  value: JsonValue;
  comment: string | null;
}

/** Reads the value of a decision as its request's kind wants it; a text is the reason why it can't be read. */
export function readAnswerValue(request: Readable, value: JsonValue): AnswerValue | string {
  switch (request.kind) {
    case 'approval':
      return readApproval(value);
    case 'input':
      return readInput(request.options, value);
    case 'review':
      return readReview(request.options, value);
  }
}

/** Never a text or a number: `"false"` and `0` are truthy in Lua. */
function readApproval(value: JsonValue): AnswerValue | string {
  if (typeof value === 'boolean') return { value, comment: null };
  const wanted = `an approval takes true or false as JSON, or {"approved": true}`;
  if (!isObject(value)) return `${wanted}, not ${quoteText(value)}`;
  const { approved, comment = null } = value;
  if (typeof approved !== 'boolean' || hasOther(value, ['approved', 'comment'])) {
    return `${wanted}, not ${quoteText(value)}`;
  }
  if (comment !== null && typeof comment !== 'string') return 'the comment of an approval is a text';
  return { value: approved, comment };
}

function readInput(options: readonly string[], value: JsonValue): AnswerValue | string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return `an input takes a text, a number, true or false, not ${quoteText(value)}`;
  }
  return isOffered(options, value) ? { value, comment: null } : notOffered(options, value);
}

function readReview(options: readonly string[], value: JsonValue): AnswerValue | string {
  const review: JsonObject = isObject(value) ? value : { decision: value };
  const { decision, feedback = null, edited_artifact = null } = review;
  if (typeof decision !== 'string' || hasOther(review, ['decision', 'feedback', 'edited_artifact'])) {
    const wanted = 'a review takes a decision as text, or {"decision", "feedback", "edited_artifact"}';
    return `${wanted}, not ${quoteText(value)}`;
  }
  if (feedback !== null && typeof feedback !== 'string') return 'the feedback of a review is a text';
  if (!isOffered(options, decision)) return notOffered(options, decision);
  return { value: { decision, feedback, edited_artifact }, comment: null };
}

/** Without options anything is. */
function isOffered(options: readonly string[], value: JsonValue): boolean {
  return options.length === 0 || (typeof value === 'string' && options.includes(value));
}

function notOffered(options: readonly string[], value: JsonValue): string {
  return `${quoteText(value)} is none of the options ${quoteText([...options])}`;
}

function hasOther(value: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(value).some((key) => !keys.includes(key));
}
