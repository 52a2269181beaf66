import type { Holds } from '../../contract/engine.js';
import { isExact, type JsonValue } from '../../contract/json/json.js';
import type { RunMeter } from '../vm/meter.js';
import { Float, pushJson } from './marshal.js';
import { work, type LuaState } from '../vm/fengari.js';

/** Memory that parsed JSON may take, for each byte of its text. */
const parsedBytes = 16;

/**
 * Pushes the value that a JSON text stands for; false, and nothing pushed, where it is no JSON. `5.0` is a float; an
 * integer that Lua here would round is the text of its digits.
 * @throws TactusError value_not_json where it is nested too deep
 */
export function pushParsed(
  { meter, holds }: { meter: RunMeter; holds: Holds },
  L: LuaState,
  text: string,
): boolean {
  work(L, text.length >> 2);
  const bytes = text.length * parsedBytes;
  meter.keep(bytes);
  try {
    const parsed = holds('exact-json')
      ? parse(text.replace(byteOrderMark, ''), toldApart, exactOf)
      : parse(text, integralFloat, floatOf);
    if (parsed !== undefined) pushJson(L, parsed);
    return parsed !== undefined;
  } finally {
    meter.release(bytes);
  }
}

/** `1.0` and `1e3`, which JavaScript takes for integers; more may match, in texts for instance. */
const integralFloat = /\d\.0|\de/i;
/** These, and integers that have too many digits. */
const toldApart = /\d\.0|\de|\d{16}/i;
const byteOrderMark = /^\uFEFF/;

function parse(text: string, isSpecial: RegExp, numberOf: NumberOf): JsonValue | undefined {
  try {
    if (isSpecial.test(text)) return JSON.parse(text, numberOf as Reviver) as JsonValue;
  } catch {
    // No JSON, or nested too deep for that.
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

type Reviver = (key: string, value: unknown) => unknown;
type NumberOf = (key: string, value: unknown, context: { source?: string }) => unknown;

/** The third argument is of ES2025, which the types don't know yet. */
function floatOf(_: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && /[.e]/i.test(source ?? '') ? new Float(value) : value;
}

function exactOf(_: string, value: unknown, { source = '' }: { source?: string }): unknown {
  if (typeof value !== 'number') return value;
  if (!isExact(value, source)) return source;
  return /[.e]/i.test(source) ? new Float(value) : value;
}
