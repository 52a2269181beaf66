import { cutMessage } from '../../contract/text/plain-text.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { toJson } from '../values/marshal.js';
import { bytesOf, Table, toText, valueAt, weighText, type LuaState } from '../vm/fengari.js';
import { decodeLossy } from '../vm/text.js';
import type { Traceback } from '../vm/traceback.js';

/** Where `file.tac:12: what happened` says that it happened. */
const positioned = /^([^\n:]+):(\d+): /;

/** Error objects larger than this are not shown: they may be thrown in storms. */
const maxMembers = 30;
const maxDepth = 3;
const noText = '(error object is a table value)';

/** A Lua error as text: strings as they are, tables by their `message` or as JSON. No metamethod runs. */
export function errorText(L: LuaState, index: number): string {
  const value = valueAt(L, index);
  const bytes = bytesOf(value);
  if (bytes !== null) {
    weighText(L, bytes.length);
    return decodeLossy(bytes);
  }
  const held = value?.value;
  if (held === null || held === undefined) return 'nil';
  if (typeof held === 'boolean') return String(held);
  if (typeof held === 'number') return toText(L, index) ?? '';
  return held instanceof Table ? tableText(L, index, held) : '(error object is no text)';
}

function tableText(L: LuaState, index: number, table: Table): string {
  const message = messageOf(L, table);
  if (message !== null) return message;
  if (table.strong.size === 0 || table.strong.size > maxMembers) return noText;
  try {
    return JSON.stringify(toJson(L, index, maxDepth));
  } catch (error) {
    if (error instanceof TactusError && error.code === 'value_not_json') return noText;
    throw error;
  }
}

/** What fengari's tables keep the key `message` under. */
const messageHash = '|message';

function messageOf(L: LuaState, table: Table): string | null {
  const text = bytesOf(table.strong.get(messageHash)?.value);
  if (text === null) return null;
  weighText(L, text.length);
  return decodeLossy(text);
}

/** The error that ends a run, from an uncaught Lua error's text. */
export function toTactusError(
  code: ErrorCode,
  message: string,
  trace: Traceback | null,
  maxBytes: number,
): TactusError {
  const at = positioned.exec(message);
  const place = at === null ? (trace?.at ?? {}) : { file: at[1] ?? '', line: Number(at[2]) };
  return new TactusError(code, cutMessage(message, maxBytes), {
    ...place,
    ...(trace === null || trace.text === '' ? {} : { traceback: trace.text }),
  });
}
