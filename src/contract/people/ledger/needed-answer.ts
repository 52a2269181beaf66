import { getOwn, isObject, type JsonValue } from '../../json/json.js';
import { quoteText } from '../../text/plain-text.js';
import type { HumanItem, HumanRequest, RequestHints } from '../human-request.js';

type Question = Pick<HumanRequest, 'kind' | 'form' | 'hints'>;

/** Nothing in it that a person could see. */
const blank = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/**
 * Why an answer that was read is none, though one is needed; null where it is one. Defaults aren't looked at: what an author
 * takes for the answer that nobody gave may be empty.
 */
export function neededProblem(question: Question, value: JsonValue): string | null {
  const { kind, form, hints } = question;
  if (kind === 'upload' && filesOf(value).some(isNowhere))
    return 'an upload takes {"name", "path" or "url", "size", "type"}: where it lies is missing';
  if (hints?.required === true && isEmpty(value)) return 'an answer is needed: this one is empty';
  if (form?.type !== 'items') return null;
  for (const item of form.items) {
    const answer = isObject(value) ? (getOwn(value, item.id) ?? null) : null;
    if (answer === null) continue;
    const problem = neededProblem(withNeed(item), answer);
    if (problem !== null) return `${quoteText(item.id)}: ${problem}`;
  }
  return null;
}

/** One of several questions, as a question by itself: `required` then says whether its answer may be empty. */
export function withNeed(item: HumanItem): HumanItem & { hints: RequestHints } {
  const { form, hints, required } = item;
  // Its author lets people choose none.
  const mayBeNone = form?.type === 'select' && form.multiple && form.min === 0;
  return { ...item, hints: { ...hints, required: required && !mayBeNone } };
}

/** A list or a table of nothing but empty values says no more than one without any. */
function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  if (typeof value === 'string') return blank.test(value);
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

function filesOf(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function isNowhere(file: JsonValue): boolean {
  if (!isObject(file)) return false;
  return ['path', 'url'].every((key) => isEmpty(getOwn(file, key) ?? null));
}
