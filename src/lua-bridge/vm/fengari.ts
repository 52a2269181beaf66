/** The only door to fengari: its typed API, and the few calls that every library of ours makes. */
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
import { shareEntries } from './templates.js';
import { decodeUtf8, encodeUtf8 } from './utf8.js';

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
export * from './utf8.js';
export { entriesOf, firstEntry, shareEntries, sizeOf } from './templates.js';

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

/**
 * Seals a library of Lua's: what it has can't be changed, but a procedure may add functions, as `string.trim`.
 *
 * @param perState its functions that are made for each state
 */
export function sealOwn(L: LuaState, name: string, perState: readonly string[] = []): void {
  const table = tableAt(L, -1);
  if (table === null) return;
  const { message, keys } = libraryOf(name, table);
  table.sealed = message;
  table.own = keys;
  shareEntries(table, name, (key) => perState.includes(key));
}

/** What libraries of Lua have, and what a change of it is told, by name: the same in all states of one engine. */
const libraries = new Map<string, { message: string; keys: ReadonlySet<unknown> }>();

function libraryOf(name: string, { strong }: Table): { message: string; keys: ReadonlySet<unknown> } {
  const known = libraries.get(name);
  if (known?.keys.size === strong.size && [...known.keys].every((key) => strong.has(key))) return known;
  const message = `the library ${name} is read-only: what it has can't be replaced`;
  const library = { message, keys: new Set(strong.keys()) };
  libraries.set(name, library);
  return library;
}

/** Makes a library of Lua's functions, known to error messages by its name; `perState` as `sealOwn` has it. */
export function openLibrary(
  L: LuaState,
  name: string,
  functions: Record<string, CFunction>,
  perState: readonly string[],
): void {
  const open: CFunction = (thread) => {
    lua.lua_createtable(thread, 0, 0);
    for (const [key, fn] of Object.entries(functions)) {
      lua.lua_pushcfunction(thread, fn);
      setField(thread, -2, key);
    }
    return 1;
  };
  lauxlib.luaL_requiref(L, literal(name), open, 1);
  sealOwn(L, name, perState);
  lua.lua_pop(L, 1);
}
