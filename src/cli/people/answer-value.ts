import { statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { TactusError } from '../command.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { defined, readJson, type JsonObject, type JsonValue } from '../../contract/json/json.js';

const yes = ['y', 'yes', 'true'];
const no = ['n', 'no', 'false'];

/** What is known of a request that somebody answers. */
export type Answerable = Pick<HumanRequest, 'kind' | 'id'> &
  Partial<Pick<HumanRequest, 'options' | 'form' | 'metadata'>>;

/**
 * What a person typed, as the value of a decision: y and n for an approval, an option by its value or label, the path
 * of a file, else the text as it is. An object, a list or a quoted text is taken as JSON.
 * @throws TactusError usage
 */
export function answerValue(request: Answerable | null, text: string): JsonValue {
  const typed = text.trim();
  if (/^[[{"]/.test(typed)) {
    const json = parse(typed);
    if (json !== undefined) return json;
  }
  // Without the request at hand, what looks like an approval is one.
  if (request === null) return approvalOf(typed) ?? typed;
  switch (request.kind) {
    case 'approval': {
      const approved = approvalOf(typed);
      if (approved === undefined) throw notUnderstood(request, 'is an approval: answer y or n', text);
      return approved;
    }
    case 'select':
      return selectionOf(request, typed);
    case 'multiple':
      throw notUnderstood(request, 'asks several things: answer with JSON, by their ids', text);
    case 'upload': {
      const isList = request.form?.type === 'upload' && request.form.multiple;
      return isList ? typed.split(',').map((each) => fileReference(each.trim())) : fileReference(typed);
    }
    case 'input': {
      const isJson = request.form?.type === 'any' || request.metadata?.['response_schema'] !== undefined;
      return (isJson ? parse(typed) : undefined) ?? typed;
    }
    case 'review':
    case 'escalation':
      return typed;
  }
}

/** An answer that was given beforehand: JSON, or what a person would type. */
export function givenAnswer(request: Answerable, text: string): JsonValue {
  const json = parse(text);
  if (json === undefined) return answerValue(request, text);
  const isTyped = typeof json === 'string' && ['approval', 'select', 'upload'].includes(request.kind);
  return isTyped ? answerValue(request, json) : json;
}

function approvalOf(typed: string): boolean | undefined {
  const word = typed.toLowerCase();
  if (yes.includes(word)) return true;
  return no.includes(word) ? false : undefined;
}

/** What is no option is left as it is: the run says so. */
function selectionOf({ options = [], form }: Answerable, typed: string): JsonValue {
  const choices = form?.type === 'select' ? form.choices : [];
  const optionOf = (text: string): JsonValue =>
    options.find((option) => String(option) === text) ??
    choices.find(({ label }) => label === text)?.value ??
    text;
  if (form?.type !== 'select' || !form.multiple) return optionOf(typed);
  return typed === '' ? [] : typed.split(',').map((each) => optionOf(each.trim()));
}

function notUnderstood({ id }: Answerable, problem: string, text: string): TactusError {
  return new TactusError('usage', `${id} ${problem}, not ${JSON.stringify(text)}`);
}

function parse(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

const mediaTypes: Record<string, string> = {
  '.csv': 'text/csv',
  '.doc': 'application/msword',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/**
 * What an upload is answered with: where the file lies. It isn't copied: the worker has to reach it there.
 * @throws TactusError usage where there is no such file
 */
function fileReference(given: string): JsonObject {
  const isUrl = /^https?:\/\//i.test(given);
  const name = basename(isUrl ? new URL(given).pathname : given);
  const ending = extname(name).toLowerCase();
  const type = Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined;
  const parts = { name, ...defined({ type }) };
  if (isUrl) return { ...parts, url: given };
  const path = resolve(given);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) throw new TactusError('usage', `There is no file ${path}`);
  return { ...parts, path, size: stats.size };
}
