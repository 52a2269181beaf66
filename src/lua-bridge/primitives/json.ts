import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { Bridge } from '../bridge.js';
import { setLibrary } from '../handle.js';
import { toJson } from '../marshal.js';
import { pushParsed } from '../push-parsed.js';
import { lauxlib, literal, pushText, toText, work } from '../vm/fengari.js';

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
      scheduler.notes.guard(thread, () => {
        if (!pushParsed({ meter }, thread, text)) throw noJson(text);
      });
      return 1;
    },
  });
}

function noJson(text: string): TactusError {
  return new TactusError(
    'value_not_json',
    `Json.decode: this is no JSON: ${JSON.stringify(text.slice(0, 60))}`,
  );
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
