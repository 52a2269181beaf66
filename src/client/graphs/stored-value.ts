import { TactusError } from '../../contract/errors.js';
import {
  isObject,
  setOwn,
  usualJsonDepth,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';

/** The only key of an object that stands for a date, as ISO 8601, and of one that stands for an object with either key. */
const dateKey = '$date';
const objectKey = '$object';

/**
 * A value of an application as JSON that gives the same value again. Dates stay dates; fields that are undefined are left out.
 * @throws TactusError value_not_json, with the path, of anything else that JSON doesn't have
 */
export function toStored(value: unknown, path: string, depth = 0): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object')
    throw notJson(path, typeof value === 'number' ? String(value) : `a ${typeof value}`);
  if (depth === usualJsonDepth) throw notJson(path, `more than ${usualJsonDepth} levels`);
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw notJson(path, 'a date that is none');
    return { [dateKey]: value.toISOString() };
  }
  if (Array.isArray(value)) return Array.from(value, (each, i) => toStored(each, `${path}[${i}]`, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw notJson(path, `an object of the class ${value.constructor.name}`);
  const stored: JsonObject = {};
  for (const [key, each] of Object.entries(value))
    if (each !== undefined) setOwn(stored, key, toStored(each, `${path}.${key}`, depth + 1));
  return isMark(stored) ? { [objectKey]: stored } : stored;
}

/** The value that was stored. */
export function fromStored(stored: JsonValue): unknown {
  if (Array.isArray(stored)) return stored.map(fromStored);
  if (!isObject(stored)) return stored;
  if (!isMark(stored)) return fieldsOf(stored);
  const { [dateKey]: date, [objectKey]: object } = stored;
  if (typeof date === 'string') return new Date(date);
  return isObject(object) ? fieldsOf(object) : stored;
}

function fieldsOf(stored: JsonObject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(stored)) setOwn(fields, key, fromStored(each));
  return fields;
}

function isMark(stored: JsonObject): boolean {
  const [key, ...others] = Object.keys(stored);
  return others.length === 0 && (key === dateKey || key === objectKey);
}

function notJson(path: string, what: string): TactusError {
  return new TactusError(
    'value_not_json',
    `${path} is ${what}: a checkpoint holds null, booleans, numbers, texts, dates, lists and plain objects`,
    { path },
  );
}
