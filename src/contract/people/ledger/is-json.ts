import type { JsonValue } from '../../json/json.js';
import { defaultLimits } from '../../runs/limits.js';

/** Whether a value from outside is JSON of plain objects, no deeper than what crosses into Lua. */
export function isJson(value: unknown, depth = defaultLimits.depth): value is JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  // `Array.from` shows the holes of an array, which are not JSON either.
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, depth - 1));
  return isPlain(value) && Object.values(value).every((member) => isJson(member, depth - 1));
}

/** Objects of another realm are plain too: compares no prototype by identity. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
