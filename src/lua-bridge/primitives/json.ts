import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { Bridge } from '../bridge.js';
import { setLibrary } from '../handle.js';
import { pushJson, toJson } from '../marshal.js';
import { lauxlib, literal, pushText, toText, work } from '../vm/fengari.js';

/** Memory that parsed JSON may take, for each byte of its text. */
const parsedBytes = 16;

/** `Json.encode` (spaced as the reference has it: `{"a": 1}`) and `Json.decode`. */
export function openJson({ L, meter, scheduler }: Bridge): void {
  setLibrary(L, 'Json', {
    encode: (thread) => {
      lauxlib.luaL_checkany(thread, 1);
      const parts: string[] = [];
      scheduler.notes.guard(thread, () => write(toJson(thread, 1), parts));
      const text = parts.join('');
      work(thread, text.length >> 1);
      pushText(thread, text);
      return 1;
    },
    decode: (thread) => {
      const text = toText(thread, 1) ?? lauxlib.luaL_argerror(thread, 1, literal('text expected'));
      work(thread, text.length >> 2);
      const bytes = text.length * parsedBytes;
      meter.keep(bytes);
      try {
        scheduler.notes.guard(thread, () => pushJson(thread, parse(text)));
      } finally {
        meter.release(bytes);
      }
      return 1;
    },
  });
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new TactusError(
      'value_not_json',
      `Json.decode: this is no JSON: ${JSON.stringify(text.slice(0, 60))}`,
    );
  }
}

/** Writes the parts of the text. An empty table can be either; the reference writes `{}`. */
function write(value: JsonValue, parts: string[]): void {
  if (typeof value !== 'object' || value === null) parts.push(JSON.stringify(value));
  else if (Array.isArray(value)) {
    value.forEach((item, i) => {
      parts.push(i === 0 ? '[' : ', ');
      write(item, parts);
    });
    parts.push(value.length === 0 ? '{}' : ']');
  } else {
    Object.keys(value).forEach((key, i) => {
      parts.push(i === 0 ? '{' : ', ', JSON.stringify(key), ': ');
      write(value[key] ?? null, parts);
    });
    parts.push('}');
  }
}
