/** The only door to fengari: its typed API, and the few calls that every library of ours makes. */
import { utf8Length } from '../../contract/json/json.js';
import {
  lauxlib,
  lua,
  lua_number2str,
  share,
  to_luastring,
  weighText,
  type CFunction,
  type LuaState,
  type Table,
  type TValue,
} from './fengari.generated.js';

/** UTF-8 both ways. Written out, for the workflow sandbox promises no TextEncoder. */

const chunk = 4096;

export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
      bytes[length++] = 0x80 | (code & 0x3f);
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = text.charCodeAt(i + 1);
      if (code <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i++;
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
        bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
        bytes[length++] = 0x80 | (code & 0x3f);
        continue;
      }
      code = 0xfffd; // half a surrogate pair has no UTF-8 form
    }
    bytes[length++] = 0xe0 | (code >> 12);
    bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return bytes;
}

/** Length of the UTF-8 sequence that starts at `at`, or 0 where the bytes aren't one. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size =
    first >= 0xc2 && first < 0xe0
      ? 2
      : first >= 0xe0 && first < 0xf0
        ? 3
        : first >= 0xf0 && first < 0xf5
          ? 4
          : 0;
  if (size === 0 || at + size > bytes.length) return 0;
  for (let i = 1; i < size; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if (first === 0xe0 && second < 0xa0) return 0; // longer than needed
  if (first === 0xed && second > 0x9f) return 0; // surrogates
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0; // past U+10FFFF
  return size;
}

function codePointAt(bytes: Uint8Array, at: number, size: number): number {
  const byte = (i: number): number => bytes[at + i] ?? 0;
  if (size === 1) return byte(0);
  if (size === 2) return ((byte(0) & 0x1f) << 6) | (byte(1) & 0x3f);
  if (size === 3) return ((byte(0) & 0x0f) << 12) | ((byte(1) & 0x3f) << 6) | (byte(2) & 0x3f);
  return ((byte(0) & 0x07) << 18) | ((byte(1) & 0x3f) << 12) | ((byte(2) & 0x3f) << 6) | (byte(3) & 0x3f);
}

function decode(bytes: Uint8Array, onInvalid: () => number | null): string | null {
  let text = '';
  let units: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const plain = asciiLength(bytes, at);
    if (plain > 0) {
      text += String.fromCodePoint(...units) + asciiText(bytes.subarray(at, at + plain));
      units = [];
      at += plain;
      continue;
    }
    const size = sequenceLength(bytes, at);
    if (size === 0) {
      const replacement = onInvalid();
      if (replacement === null) return null;
      units.push(replacement);
      at++;
    } else {
      units.push(codePointAt(bytes, at, size));
      at += size;
    }
    if (units.length >= chunk) {
      text += String.fromCodePoint(...units);
      units = [];
    }
  }
  return text + String.fromCodePoint(...units);
}

/** `apply`, for it takes the bytes as they are; spreading would walk an iterator. */
function asciiText(bytes: Uint8Array): string {
  // eslint-disable-next-line no-restricted-syntax -- `apply` takes any list of numbers; its type names only arrays
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

/** How many of the bytes from `at` on are ASCII, looking at one chunk. */
function asciiLength(bytes: Uint8Array, at: number): number {
  const end = Math.min(bytes.length, at + chunk);
  let i = at;
  while (i < end && (bytes[i] ?? 0) < 0x80) i++;
  return i - at;
}

/** The text that the bytes hold, or null where they aren't UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  return decode(bytes, () => null);
}

/** For messages and logs, which must show something: what isn't UTF-8 becomes U+FFFD. */
export function decodeLossy(bytes: Uint8Array): string {
  return decode(bytes, () => 0xfffd) ?? '';
}

/** So many of so many characters are kept: those of our libraries, and of the fields that procedures have. */
const most = 2_000;
const longest = 63;

/**
 * Bytes of names by what they spell, for all states of a worker: a quarter of the memory of a small run would be copies of
 * them. Nobody writes to the bytes of a string, so no state can tell that they are shared.
 */
const known = new Map<string, Uint8Array>();

/** UTF-8 of the name of a field. Not to be written to. */
export function nameBytes(name: string): Uint8Array {
  const found = known.get(name);
  if (found !== undefined) return found;
  const bytes = share(encodeUtf8(name));
  if (name.length > longest) return bytes;
  // Runs name fields as they like: what is forgotten is only made again.
  if (known.size >= most) known.clear();
  known.set(name, bytes);
  return bytes;
}

export * from './fengari.generated.js';

/** Bytes of a literal; cached, so only for names that stand in our sources. */
export function literal(text: string): Uint8Array {
  return to_luastring(text, true);
}

export function pushText(L: LuaState, text: string): void {
  weighText(L, text.length);
  const bytes = encodeUtf8(text);
  lua.lua_pushlstring(L, bytes, bytes.length);
}

/** The value at a stack index. Reads without touching the stack, so it works on threads that an error has ended too. */
export function valueAt(L: LuaState, index: number): TValue | undefined {
  if (index > 0 && L.ci.funcOff + index >= L.top) return undefined;
  return L.stack[index > 0 ? L.ci.funcOff + index : L.top + index];
}

/** The value that a registry reference stands for. Touches no stack. */
export function referredTo(L: LuaState, reference: number): TValue | undefined {
  return (L.l_G.l_registry.value as Table).strong.get(reference);
}

/** The table of global variables. Touches no stack. */
export function globalsOf(L: LuaState): Table {
  return referredTo(L, globalsReference)?.value as Table;
}

/** Where Lua keeps them in the registry. */
const globalsReference = 2;

/** Bytes of a string value, else null. */
export function bytesOf(value: TValue | undefined): Uint8Array | null {
  const held = value?.value;
  return typeof held === 'object' && held !== null && 'realstring' in held
    ? (held.realstring as Uint8Array)
    : null;
}

/** The string (or number) at `index` as text; null where it is neither, or not UTF-8. */
export function toText(L: LuaState, index: number): string | null {
  const value = valueAt(L, index);
  if (typeof value?.value === 'number') return numberText(value);
  const bytes = bytesOf(value);
  if (bytes === null) return null;
  weighText(L, bytes.length);
  return decodeUtf8(bytes);
}

/** Tag that fengari gives integers, beside 3 for floats. */
const integerTag = 0x13;

export function isIntegerValue(value: TValue): boolean {
  return value.type === integerTag;
}

/** A number as `tostring` prints it. */
function numberText(value: TValue): string {
  const number = value.value as number;
  if (isIntegerValue(value)) return String(number);
  const text = lua_number2str(number);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

export function tableAt(L: LuaState, index: number): Table | null {
  return lua.lua_type(L, index) === lua.LUA_TTABLE ? (lua.lua_topointer(L, index) as Table) : null;
}

/** Sets the field `name` of the table at `index` to the value on top, which it pops. Calls no metamethod. */
export function setField(L: LuaState, index: number, name: string): void {
  const table = lua.lua_absindex(L, index);
  pushName(L, name);
  lua.lua_insert(L, -2);
  lua.lua_rawset(L, table);
}

/** Pushes the field `name` of the table at `index` without metamethods; gives its type. */
export function pushField(L: LuaState, index: number, name: string): number {
  const table = lua.lua_absindex(L, index);
  pushName(L, name);
  return lua.lua_rawget(L, table);
}

function pushName(L: LuaState, name: string): void {
  weighText(L, name.length);
  lua.lua_pushstring(L, nameBytes(name));
}

/** Raises a Lua error with the position of the Lua code that called, as `error(message)` does. */
export function raise(L: LuaState, message: string): never {
  lauxlib.luaL_where(L, 1);
  pushText(L, message);
  lua.lua_concat(L, 2);
  return lua.lua_error(L);
}

/** Whether an effect can be asked for here: not in a sort comparator, a gsub callback, `__tostring` … */
export function isSuspendable(L: LuaState): boolean {
  return L.nny === 0 && !L.blocked;
}

/** Makes the table on top read-only for Lua, with the message that a change gets. */
export function seal(L: LuaState, message: string): void {
  const table = tableAt(L, -1);
  if (table !== null) table.sealed = message;
}

/** Seals a library of Lua's: what it has can't be changed, but a procedure may add functions, as `string.trim`. */
export function sealOwn(L: LuaState, name: string): void {
  seal(L, `the library ${name} is read-only: what it has can't be replaced`);
  const table = tableAt(L, -1);
  if (table !== null) table.own = ownKeys(name, table);
}

/** What libraries of Lua have, by name: the same in all states of one engine. */
const libraryKeys = new Map<string, ReadonlySet<unknown>>();

function ownKeys(name: string, { strong }: Table): ReadonlySet<unknown> {
  const known = libraryKeys.get(name);
  if (known?.size === strong.size && [...known].every((key) => strong.has(key))) return known;
  const keys = new Set(strong.keys());
  libraryKeys.set(name, keys);
  return keys;
}

/** Makes a library of Lua's functions, known to error messages by its name. */
export function openLibrary(L: LuaState, name: string, functions: Record<string, CFunction>): void {
  const open: CFunction = (thread) => {
    lua.lua_createtable(thread, 0, 0);
    for (const [key, fn] of Object.entries(functions)) {
      lua.lua_pushcfunction(thread, fn);
      setField(thread, -2, key);
    }
    return 1;
  };
  lauxlib.luaL_requiref(L, literal(name), open, 1);
  sealOwn(L, name);
  lua.lua_pop(L, 1);
}
