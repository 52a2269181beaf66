import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import {
  checkString,
  Float,
  lauxlib,
  Library,
  literal,
  pushParsed,
  pushText,
  toText,
  withFloats,
  work,
  type Bridge,
} from '../kernel/index.js';

/** `Json.encode` (spaced as the reference has it: `{"a": 1}`) and `Json.decode`. Both tell floats from integers. */
export function openJson(bridge: Bridge): void {
  json.open(bridge);
}

const json = new Library('Json', ({ meter, holds, scheduler }) => ({
  encode: (thread) => {
    lauxlib.luaL_checkany(thread, 1);
    const parts: string[] = [];
    scheduler.notes.guard(thread, () => write(withFloats(thread, 1), parts));
    const text = parts.join('');
    work(thread, text.length >> 1);
    checkString(thread, text.length);
    pushText(thread, text);
    return 1;
  },
  decode: (thread) => {
    const text = toText(thread, 1) ?? lauxlib.luaL_argerror(thread, 1, literal('text expected'));
    scheduler.notes.guard(thread, () => {
      if (!pushParsed({ meter, holds }, thread, text)) throw noJson(text);
    });
    return 1;
  },
}));

function noJson(text: string): TactusError {
  return new TactusError(
    'value_not_json',
    `Json.decode: this is no JSON: ${JSON.stringify(text.slice(0, 60))}`,
  );
}

/** Writes the parts of the text. An empty table can be either; the reference writes `{}`. */
function write(value: JsonValue, parts: string[]): void {
  if (value instanceof Float) parts.push(floatText(value.value));
  else if (typeof value !== 'object' || value === null) parts.push(JSON.stringify(value));
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

/** As Python writes it, for the sake of who compares: `5.0`, `1e+16`, `1e-07`. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 16)
    return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
