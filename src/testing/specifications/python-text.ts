import { isObject, type JsonValue } from '../../contract/json/json.js';

/** A value as Python's `str` writes it, which authors of the reference compare with: `True`, `None`, `[1, 'a']`. */
export function pythonText(value: JsonValue): string {
  return typeof value === 'string' ? value : represented(value);
}

/** A value as it stands in a list, with quotes around texts. */
function represented(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(represented).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${quoted(key)}: ${represented(each)}`);
  return `{${entries.join(', ')}}`;
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `${quote}${escaped}${quote}`;
}
