import { isObject, type JsonValue } from '../json/json.js';

/** What stands before the name of a group, where people are named. */
export const groupPrefix = 'group:';

/** Whether a value says who is in which group. */
export function isGroups(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every(isNames);
}

function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
}
