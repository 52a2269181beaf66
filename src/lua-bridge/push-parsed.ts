import type { JsonValue } from '../contract/json.js';
import type { Bridge } from './bridge.js';
import { pushJson } from './marshal.js';
import { work, type LuaState } from './vm/fengari.js';

/** Memory that parsed JSON may take, for each byte of its text. */
const parsedBytes = 16;

/**
 * Pushes the value that a JSON text stands for; false, and nothing pushed, where it is no JSON.
 * @throws TactusError value_not_json where it is nested too deep
 */
export function pushParsed({ meter }: Pick<Bridge, 'meter'>, L: LuaState, text: string): boolean {
  work(L, text.length >> 2);
  const bytes = text.length * parsedBytes;
  meter.keep(bytes);
  try {
    const parsed = parse(text);
    if (parsed !== undefined) pushJson(L, parsed);
    return parsed !== undefined;
  } finally {
    meter.release(bytes);
  }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
