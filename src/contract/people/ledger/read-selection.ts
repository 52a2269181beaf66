import type { HumanForm, OptionValue } from '../human-request.js';
import type { JsonValue } from '../../json/json.js';
import { notOffered, type AnswerValue } from './answer-value.js';
import { quoteText } from './quote-text.js';

type SelectForm = Extract<HumanForm, { type: 'select' }>;

/** One of the options, or a list of different ones. */
export function readSelection(
  { multiple, min, max }: SelectForm,
  options: readonly OptionValue[],
  value: JsonValue,
): AnswerValue | string {
  const isOption = (each: JsonValue): boolean =>
    options.length === 0 || (options as readonly JsonValue[]).includes(each);
  if (!multiple) return isOption(value) ? { value, comment: null } : notOffered(options, value);
  if (!Array.isArray(value)) return `a selection of several takes a list, not ${quoteText(value)}`;
  const stranger = value.find((each) => !isOption(each));
  if (stranger !== undefined) return notOffered(options, stranger);
  const twice = value.find((each, i) => value.indexOf(each) !== i);
  if (twice !== undefined) return `${quoteText(twice)} is chosen twice`;
  if (value.length < min) return `at least ${min} must be chosen, not ${value.length}`;
  if (max !== null && value.length > max) return `at most ${max} may be chosen, not ${value.length}`;
  return { value, comment: null };
}
