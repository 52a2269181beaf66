import type { JsonValue } from '../../contract/json/json.js';

const bytesPer = { value: 16, character: 2 } as const;

/** Memory that a JSON value takes, estimated. No value is too deep to be asked about. */
export function heldBytes(value: JsonValue): number {
  const pending = [value];
  let bytes = 0;
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    bytes += bytesPer.value;
    if (typeof each === 'string') bytes += bytesPer.character * each.length;
    else if (Array.isArray(each)) for (const item of each) pending.push(item);
    else if (typeof each === 'object' && each !== null)
      for (const key of Object.keys(each)) {
        bytes += bytesPer.character * key.length;
        pending.push(each[key] ?? null);
      }
  }
  return bytes;
}
