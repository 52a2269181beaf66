import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readJson } from '../../contract/json/read-json.js';

/**
 * Values that a model wrote as text, `"3"` or `"true"`, in the types that the schema declares for their fields; the same
 * object where there are none.
 */
export function typedFields(value: JsonValue, { properties = null }: JsonObject): JsonValue {
  if (!isObject(value) || !isObject(properties)) return value;
  const typed: JsonObject = {};
  let isSame = true;
  for (const [name, given] of Object.entries(value)) {
    const field = getOwn(properties, name);
    const type = isObject(field) ? field['type'] : null;
    const read = typeof given === 'string' && typeof type === 'string' ? ofType(given, type) : given;
    isSame &&= read === given;
    setOwn(typed, name, read);
  }
  return isSame ? value : typed;
}

function ofType(text: string, type: string): JsonValue {
  const word = text.trim();
  switch (type) {
    case 'number':
      return /^[-+]?\d+(\.\d+)?([eE][-+]?\d{1,2})?$/.test(word) ? exact(Number(word), text) : text;
    case 'integer':
      return /^[-+]?\d+(\.0+)?$/.test(word) ? exact(Number(word), text) : text;
    case 'boolean':
      return /^(true|false)$/i.test(word) ? word.toLowerCase() === 'true' : text;
    case 'array':
    case 'object':
      return parsed(word, type) ?? text;
    default:
      return text;
  }
}

/** What would be another number stays text, which the schema refuses. */
function exact(number: number, text: string): JsonValue {
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !/^[-+]?\d+(\.0+)?$/.test(text.trim()))
    ? number
    : text;
}

function parsed(text: string, type: 'array' | 'object'): JsonValue {
  try {
    const value = readJson(text);
    return type === 'array' ? (Array.isArray(value) ? value : null) : isObject(value) ? value : null;
  } catch {
    return null;
  }
}
