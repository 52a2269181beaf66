import {
  canonicalJson,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';

/** Whether arguments are as a conditional mock wants them: equal, or by `contains:`, `startswith:`, `endswith:`. */
export function matchesMock(args: JsonValue, when: JsonObject): boolean {
  if (!isObject(args)) return false;
  return Object.entries(when).every(([name, wanted]) => {
    const given = getOwn(args, name);
    return given !== undefined && matchesValue(given, wanted);
  });
}

function matchesValue(given: JsonValue, wanted: JsonValue): boolean {
  const pattern = typeof wanted === 'string' ? /^(contains|startswith|endswith):(.*)$/s.exec(wanted) : null;
  if (pattern === null) return canonicalJson(given) === canonicalJson(wanted);
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const part = (pattern[2] ?? '').trim();
  if (pattern[1] === 'contains') return text.includes(part);
  return pattern[1] === 'startswith' ? text.startsWith(part) : text.endsWith(part);
}
