import { schemaMismatch } from '../answer-schema.js';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.js';
import type { HumanRequest, OptionValue } from '../human-request.js';
import { hasOther, notOffered, type AnswerValue } from './answer-value.js';
import { quoteText } from './quote-text.js';
import { readItems } from './read-items.js';
import { readSelection } from './read-selection.js';
import { readUpload } from './read-upload.js';

export type Readable = Pick<HumanRequest, 'kind' | 'options' | 'form' | 'metadata' | 'hints'>;

/** Reads the value of a decision as its request wants it; a text is the reason why it can't be read. */
export function readAnswerValue(request: Readable, value: JsonValue): AnswerValue | string {
  const answer = readOfKind(request, value);
  const schema = request.metadata?.['response_schema'];
  if (typeof answer === 'string' || schema === undefined) return answer;
  const mismatch = schemaMismatch(schema, answer.value);
  return mismatch === null
    ? answer
    : `the answer doesn't fit the response_schema: ${quoteText(mismatch, 300)}`;
}

function readOfKind(request: Readable, value: JsonValue): AnswerValue | string {
  const { kind, options, form, metadata, hints } = request;
  switch (kind) {
    case 'approval':
      return readApproval(value);
    case 'input': {
      const isAny = form?.type === 'any' || (metadata !== undefined && 'response_schema' in metadata);
      if (hints?.required === true && isBlank(value)) return 'an answer is needed: this one is empty';
      return isAny ? anything(value) : readInput(options, value);
    }
    case 'review':
      return readReview(options, value, metadata !== undefined && 'response_schema' in metadata);
    // Of a request that is closed, what its answer was made of isn't known any longer.
    case 'select':
      return form?.type === 'select' ? readSelection(form, options, value) : anything(value);
    case 'multiple':
      return form?.type === 'items' ? readItems(form.items, value, readAnswerValue) : anything(value);
    case 'upload':
      return form?.type === 'upload' ? readUpload(form, value) : anything(value);
    case 'escalation':
      return anything(value);
  }
}

function isBlank(value: JsonValue): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function anything(value: JsonValue): AnswerValue {
  return { value, comment: null };
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

function readInput(options: readonly OptionValue[], value: JsonValue): AnswerValue | string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return `an input takes a text, a number, true or false, not ${quoteText(value)}`;
  }
  return isOffered(options, value) ? { value, comment: null } : notOffered(options, value);
}

/** What else is in it, the response_schema judges, where there is one. */
function readReview(
  options: readonly OptionValue[],
  value: JsonValue,
  hasSchema: boolean,
): AnswerValue | string {
  const review: JsonObject = isObject(value) ? value : { decision: value };
  const { decision, feedback = null, edited_artifact = null } = review;
  const isKnown = hasSchema || !hasOther(review, ['decision', 'feedback', 'edited_artifact']);
  if (typeof decision !== 'string' || !isKnown) {
    const wanted = 'a review takes a decision as text, or {"decision", "feedback", "edited_artifact"}';
    return `${wanted}, not ${quoteText(value)}`;
  }
  if (feedback !== null && typeof feedback !== 'string') return 'the feedback of a review is a text';
  if (!isOffered(options, decision)) return notOffered(options, decision);
  return { value: hasSchema ? review : { decision, feedback, edited_artifact }, comment: null };
}

/** Without options anything is. */
function isOffered(options: readonly OptionValue[], value: JsonValue): boolean {
  return options.length === 0 || (typeof value === 'string' && options.includes(value));
}
