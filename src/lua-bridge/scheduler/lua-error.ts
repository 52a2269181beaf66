import { cutMessage } from '../../contract/text/plain-text.js';
import { errorCodes, hasCode, TactusError, type ErrorCode } from '../../contract/errors.js';
import { toJson } from '../values/marshal.js';
import {
  bytesOf,
  decodeLossy,
  lua,
  pushText,
  sizeOf,
  Table,
  toText,
  valueAt,
  weighText,
  type LuaState,
} from '../vm/fengari.js';
import { chargedTraceback, traceback, type Traceback } from '../vm/traceback.js';

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
  const size = sizeOf(table);
  if (size === 0 || size > maxMembers) return noText;
  try {
    return JSON.stringify(toJson(L, index, maxDepth));
  } catch (error) {
    if (hasCode(error, 'value_not_json')) return noText;
    throw error;
  }
}

/** What fengari's tables keep the key `message` under. */
const messageHash = '|message';

function messageOf(L: LuaState, table: Table): string | null {
  const text = bytesOf(table.strong.get(messageHash));
  if (text === null) return null;
  weighText(L, text.length);
  return decodeLossy(text);
}

/** The error that ends a run, from an uncaught Lua error's text. */
function toTactusError(
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

/** A Lua error passes through a generator; the error value is on top of the stack. */
export class LuaRaised extends Error {}

/** So many errors are known by their texts: the newest ones. A procedure looks at an error soon after it has caught it. */
const mostTexts = 1_000;

/** Texts that are longer are known by their ends and their length. */
const mostTextChars = 1_000;

/** Positions that `error(err)` puts before a text, one for each time. */
const mostPositions = 20;

/** What is known of an error that Lua raised. */
interface NotedError {
  text: string;
  code: ErrorCode;
  trace: Traceback;
}

/**
 * What a Lua error can't carry itself. An error is a string to Lua, and its stack is gone when a protected call has
 * caught it; what it was raised with is kept here until it ends the run, or another error takes its place.
 */
export class ErrorNotes {
  /** Stands for "a Lua error is on top of the stack" in generators. */
  readonly raised = new LuaRaised();
  private last: NotedError | null = null;

  /** Codes of errors that Lua could catch, by their texts, the newest last. What it asks of them is the same in each replay. */
  private readonly codes = new Map<string, ErrorCode>();

  constructor(private readonly maxBytes: number) {}

  /** Raises one of our errors as a Lua error: its message as it is, as the reference's are. The line is noted. */
  raise(L: LuaState, error: TactusError): never {
    pushText(L, error.message);
    const trace = chargedTraceback(L);
    const { file, line } = error.toRunError();
    // Where no Lua runs any more, the error itself may know the place.
    if (!('file' in trace.at) && file !== null && line !== null) trace.at = { file, line };
    this.last = { text: errorText(L, -1), code: error.code, trace };
    this.remember(this.last.text, error.code);
    return lua.lua_error(L);
  }

  /** From now on the text tells its code. */
  remember(text: string, code: ErrorCode): void {
    const key = keyOf(text);
    this.codes.delete(key);
    this.codes.set(key, code);
    if (this.codes.size <= mostTexts) return;
    const [oldest] = this.codes.keys();
    if (oldest !== undefined) this.codes.delete(oldest);
  }

  /**
   * The code of an error by its text, perhaps raised again with positions before it; null where it is no error of ours, as
   * where an author's words stand before it: that is another error.
   */
  codeOfText(text: string): ErrorCode | null {
    for (let rest = text, i = 0; i <= mostPositions; i++) {
      const code = this.codes.get(keyOf(rest));
      if (code !== undefined) return code === 'lua_error' ? null : code;
      const position = /^[^\n:]+:\d+: /.exec(rest);
      if (position === null) return null;
      rest = rest.slice(position[0].length);
    }
    return null;
  }

  /** Runs plain code of ours; what it refuses becomes a Lua error. */
  guard<T>(L: LuaState, body: () => T): T {
    try {
      return body();
    } catch (error) {
      return this.rethrow(L, error);
    }
  }

  /** Raises what Lua may catch as a Lua error; what it may not ends the run, with its line. */
  rethrow(L: LuaState, error: unknown): never {
    if (error instanceof TactusError && errorCodes[error.code].catchable) return this.raise(L, error);
    throw error instanceof TactusError ? located(L, error) : error;
  }

  /** Notes the stack of the error on top of the thread, unless it is one that passes through. */
  note(thread: LuaState): void {
    const text = errorText(thread, -1);
    if (this.last !== null && isSame(text, this.last.text)) this.last.text = text;
    else this.last = { text, code: 'lua_error', trace: chargedTraceback(thread) };
  }

  /** What is known of the error on top of the thread; `recall` says it again, when others have been raised meanwhile. */
  keep(thread: LuaState): NotedError {
    this.note(thread);
    return { ...(this.last as NotedError) };
  }

  recall(noted: NotedError): void {
    this.last = noted;
  }

  /** The code of the error on top of the thread. */
  codeOf(thread: LuaState): ErrorCode {
    return this.last !== null && isSame(errorText(thread, -1), this.last.text) ? this.last.code : 'lua_error';
  }

  /** The error on top of the thread, as it ends the run. */
  toError(thread: LuaState): TactusError {
    this.note(thread);
    const { text, code, trace } = this.last as NotedError;
    return toTactusError(code, text, trace, this.maxBytes);
  }
}

function keyOf(text: string): string {
  if (text.length <= mostTextChars) return text;
  return `${text.length}:${text.slice(0, mostTextChars / 2)}${text.slice(-mostTextChars / 2)}`;
}

/** A declaration that is wrong has the line that makes it. */
function located(L: LuaState, error: TactusError): TactusError {
  if (error.code !== 'source_invalid' || error.toRunError().file !== null) return error;
  const { at, text } = traceback(L);
  return new TactusError(error.code, error.message, { ...error.details, ...at, traceback: text });
}

/** The same error, perhaps raised again with positions before it: `main.tac:5: main.tac:3: …`. Quoting it makes another. */
function isSame(text: string, noted: string): boolean {
  return text.endsWith(noted) && /^([^\n:]+:\d+: )*$/.test(text.slice(0, text.length - noted.length));
}
