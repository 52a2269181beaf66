import type { HumanForm } from '../../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { invalid } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

/** `Human.upload`: a reference to a file, or with `multiple = true` a list of them. */
export const upload: HumanKind = {
  kind: 'upload',
  type: 'hitl_upload',
  read: (call, fields) => ({
    context: fields['context'] ?? null,
    options: [],
    form: readUploadForm(call, fields),
    default: fields['default'] ?? fields['default_on_timeout'] ?? null,
  }),
};

/** Also of a question among several. */
export function readUploadForm(call: string, fields: JsonObject): Extract<HumanForm, { type: 'upload' }> {
  const { multiple = null } = fields;
  if (multiple !== null && typeof multiple !== 'boolean')
    throw invalid(call, `needs true or false as multiple, got ${JSON.stringify(multiple)}`);
  return {
    type: 'upload',
    accept: readAccept(call, fields['accept'] ?? null),
    max_size: readSize(call, fields['max_size'] ?? null),
    multiple: multiple ?? false,
  };
}

function readAccept(call: string, given: JsonValue): string[] {
  if (given === null) return [];
  const accept = typeof given === 'string' ? given.split(',').map((each) => each.trim()) : given;
  const isList =
    Array.isArray(accept) && accept.every((each): each is string => typeof each === 'string' && each !== '');
  if (!isList) throw invalid(call, 'needs accept as ".pdf,.doc" or a list such as {"image/*"}');
  return accept;
}

const units: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Bytes, or a text such as "10MB". */
function readSize(call: string, given: JsonValue): number | null {
  if (given === null) return null;
  const match = typeof given === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*(B|KB|MB|GB)?\s*$/i.exec(given) : null;
  const bytes =
    typeof given === 'number' ? given : Number(match?.[1]) * (units[match?.[2]?.toUpperCase() ?? 'B'] ?? NaN);
  if (!(bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER))
    throw invalid(call, `needs max_size in bytes or as a text such as "10MB", got ${JSON.stringify(given)}`);
  return Math.floor(bytes);
}
