import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { Bridge } from '../bridge.js';
import { setLibrary } from '../handle.js';
import { pushJson, toJson } from '../marshal.js';
import { lauxlib, literal, pushText, toText, work } from '../vm/fengari.js';

/** `Json.encode` (spaced as the reference has it: `{"a": 1}`) and `Json.decode`. */
export function openJson({ L, scheduler }: Bridge): void {
  setLibrary(L, 'Json', {
    encode: (thread) => {
      lauxlib.luaL_checkany(thread, 1);
      const text = scheduler.notes.guard(thread, () => spaced(toJson(thread, 1)));
      work(thread, text.length >> 1);
      pushText(thread, text);
      return 1;
    },
    decode: (thread) => {
      const text = toText(thread, 1) ?? lauxlib.luaL_argerror(thread, 1, literal('text expected'));
      work(thread, text.length >> 2);
      pushJson(thread, scheduler.notes.guard(thread, () => parse(text)));
      return 1;
    },
  });
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new TactusError('value_not_json', `Json.decode: this is no JSON: ${JSON.stringify(text.slice(0, 60))}`);
  }
}

/** An empty table can be either; at the top the reference writes `{}`. */
function spaced(value: JsonValue): string {
  if (Array.isArray(value)) return value.length === 0 ? '{}' : `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.keys(value)
    .map((key) => `${JSON.stringify(key)}: ${spaced(value[key] ?? null)}`)
    .join(', ')}}`;
}
