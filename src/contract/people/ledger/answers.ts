import { schemaMismatch } from '../answer-schema.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../json/json.js';
import type { HumanForm, HumanItem, HumanRequest, OptionValue } from '../human-request.js';
import { quoteText } from '../../text/plain-text.js';

/** What a decision's value says, in its one normal form; the comment is one that stood inside of the value. */
export interface AnswerValue {
  value: JsonValue;
  comment: string | null;
}

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

function notOffered(options: readonly OptionValue[], value: JsonValue): string {
  return `${quoteText(value)} is none of the options ${quoteText([...options])}`;
}

function hasOther(value: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(value).some((key) => !keys.includes(key));
}

/** Answers by the ids of their questions. One that may be left out has its default then, or none. */
function readItems(
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

type SelectForm = Extract<HumanForm, { type: 'select' }>;

/** One of the options, or a list of different ones. */
function readSelection(
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

type UploadForm = Extract<HumanForm, { type: 'upload' }>;

const keys = ['name', 'path', 'url', 'size', 'type', 'mime_type'];

const mostFiles = 100;

/**
 * A reference to a file, or a list of them: where it lies, never what is in it. Whoever answers says the size and the
 * media type; the procedure that opens the file has to look.
 */
function readUpload(form: UploadForm, value: JsonValue): AnswerValue | string {
  if (!form.multiple) {
    const file = readFile(form, value);
    return typeof file === 'string' ? file : { value: file, comment: null };
  }
  const files = (Array.isArray(value) ? value : [value]).map((each) => readFile(form, each));
  const problem = files.find((file) => typeof file === 'string');
  if (problem !== undefined) return problem;
  if (files.length === 0) return 'at least one file is needed';
  if (files.length > mostFiles) return `at most ${mostFiles} files may be given, not ${files.length}`;
  return { value: files, comment: null };
}

function readFile({ accept, max_size: maxSize }: UploadForm, value: JsonValue): JsonObject | string {
  const wanted = 'an upload takes {"name", "path" or "url", "size", "type"}';
  if (!isObject(value) || hasOther(value, keys)) return `${wanted}, not ${quoteText(value)}`;
  const { name, path = null, url = null, size = null, type: given = null, mime_type = null } = value;
  const type = given ?? mime_type;
  if (typeof name !== 'string' || name === '') return `${wanted}: the name is missing`;
  if (typeof path !== 'string' && typeof url !== 'string') return `${wanted}: where it lies is missing`;
  if ([path, url, type].some((each) => each !== null && typeof each !== 'string'))
    return `${wanted}: path, url and type are texts`;
  if (size !== null && !(typeof size === 'number' && Number.isInteger(size) && size >= 0))
    return `${wanted}: the size is a number of bytes`;
  if (maxSize !== null && size === null)
    return `the size of ${quoteText(name)} is needed: at most ${maxSize} bytes`;
  if (maxSize !== null && typeof size === 'number' && size > maxSize)
    return `${quoteText(name)} has ${size} bytes; at most ${maxSize} are taken`;
  if (accept.length > 0 && !accept.some((each) => isAccepted(each, name, type as string | null)))
    return `${quoteText(name)} is no file of ${quoteText(accept)}`;
  return {
    name,
    ...(path === null ? {} : { path }),
    ...(url === null ? {} : { url }),
    ...(size === null ? {} : { size }),
    // The second is the reference's name for it.
    ...(type === null ? {} : { type, mime_type: type }),
  };
}

/** `.pdf` by the name's end; `image/png` and `image/*` by the media type. */
function isAccepted(accepted: string, name: string, type: string | null): boolean {
  const wanted = accepted.toLowerCase();
  if (!wanted.includes('/')) return name.toLowerCase().endsWith(wanted);
  const media = type?.toLowerCase().split(';')[0]?.trim() ?? '';
  if (wanted === '*/*') return true;
  return wanted.endsWith('/*') ? media.startsWith(wanted.slice(0, -1)) : media === wanted;
}
