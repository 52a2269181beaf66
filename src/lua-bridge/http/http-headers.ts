import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** Characters of a name, by RFC 9110. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Headers with those of a table added, which win over others of the same name. Names become lower case.
 * @throws TactusError with the given code where a header can't be sent
 */
export function withHeaders(
  headers: JsonObject,
  added: JsonValue,
  what: string,
  code: ErrorCode,
): JsonObject {
  const all = { ...headers };
  if (added === null || (Array.isArray(added) && added.length === 0)) return all;
  if (!isObject(added)) throw new TactusError(code, `${what}: headers must be a table with names`);
  for (const [name, value] of Object.entries(added)) {
    const shown = JSON.stringify(name);
    if (!token.test(name)) throw new TactusError(code, `${what}: ${shown} is no name of a header`);
    if (!isHeaderValue(value))
      throw new TactusError(
        code,
        `${what}: the header ${shown} must be a text of one line or { secret = "NAME" }`,
      );
    setOwn(all, name.toLowerCase(), value);
  }
  return all;
}

function isHeaderValue(value: JsonValue): boolean {
  if (isObject(value)) return typeof value['secret'] === 'string' && value['secret'] !== '';
  if (typeof value === 'string') return !/[\r\n\0]/.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}
