import {
  canonicalJson,
  getOwn,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../contract/json/json.js';

/** Two files of the cascade as one: tables are merged, lists joined without repeating, all else replaced. */
export function mergeConfig(weaker: JsonObject, stronger: JsonObject): JsonObject {
  const merged = { ...weaker };
  for (const [name, value] of Object.entries(stronger)) {
    const before = getOwn(weaker, name);
    setOwn(merged, name, before === undefined ? value : mergeValues(before, value));
  }
  return merged;
}

function mergeValues(weaker: JsonValue, stronger: JsonValue): JsonValue {
  if (isObject(weaker) && isObject(stronger)) return mergeConfig(weaker, stronger);
  if (!Array.isArray(weaker) || !Array.isArray(stronger)) return stronger;
  const known = new Set(weaker.map(canonicalJson));
  return [...weaker, ...stronger.filter((each) => !known.has(canonicalJson(each)))];
}
