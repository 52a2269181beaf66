import type { HumanForm } from '../human-request.js';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.js';
import { hasOther, type AnswerValue } from './answer-value.js';
import { quoteText } from './quote-text.js';

type UploadForm = Extract<HumanForm, { type: 'upload' }>;

const keys = ['name', 'path', 'url', 'size', 'type', 'mime_type'];
const mostFiles = 100;

/**
 * A reference to a file, or a list of them: where it lies, never what is in it. Whoever answers says the size and the
 * media type; the procedure that opens the file has to look.
 */
export function readUpload(form: UploadForm, value: JsonValue): AnswerValue | string {
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
