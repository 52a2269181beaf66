import type { HumanItem } from '../human-request.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../json/json.js';
import type { AnswerValue } from './answer-value.js';
import { quoteText } from './quote-text.js';

/** Answers by the ids of their questions. One that may be left out has its default then, or none. */
export function readItems(
  items: readonly HumanItem[],
  given: JsonValue,
  read: (item: HumanItem, value: JsonValue) => AnswerValue | string,
): AnswerValue | string {
  if (!isObject(given)) return `several questions take an object of answers by id, not ${quoteText(given)}`;
  const ids = items.map(({ id }) => id);
  const stranger = Object.keys(given).find((id) => !ids.includes(id));
  if (stranger !== undefined)
    return `there is no question ${quoteText(stranger)}: there are ${quoteText(ids)}`;
  const answers: JsonObject = {};
  for (const item of items) {
    const value = getOwn(given, item.id) ?? null;
    if (value === null) {
      if (item.required) return `${quoteText(item.id)} needs an answer`;
      if (item.default !== null) setOwn(answers, item.id, item.default);
      continue;
    }
    const answer = read(item, value);
    if (typeof answer === 'string') return `${quoteText(item.id)}: ${answer}`;
    setOwn(answers, item.id, answer.value);
  }
  return { value: answers, comment: null };
}
