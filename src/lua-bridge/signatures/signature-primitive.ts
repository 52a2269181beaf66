import {
  GlobalFunctions,
  lauxlib,
  literal,
  lua,
  PerRun,
  pushHandle,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import { readSignature, shownFields, type Signature } from './signature.js';

/**
 * `Signature("question -> answer")`, `Signature {input = {…}, output = {…}, instructions = "…"}`, `Signature "name" {…}`:
 * what a module is given, and what it gives.
 */
export function openSignature(bridge: Bridge): void {
  functions.open(bridge);
}

export const signatureType = new PerRun((): HandleType => {
  const type: HandleType = { name: 'Signature', index: () => 0 };
  type.index = (thread, held, key) => {
    const { name, instructions, input, output } = held as Signature;
    const shown = {
      name,
      instructions,
      input_fields: shownFields(input),
      output_fields: shownFields(output),
    };
    if (!Object.hasOwn(shown, key)) return 0;
    pushJson(thread, shown[key as keyof typeof shown]);
    return 1;
  };
  return type;
}, 'declared');

const functions = new GlobalFunctions(['Signature'], (bridge) => {
  const make = (thread: LuaState, name: string | null, index: number): number => {
    pushHandle(
      thread,
      signatureType.of(bridge),
      bridge.scheduler.notes.guard(thread, () => readSignature(toJson(thread, index), name)),
    );
    return 1;
  };
  const Signature: CFunction = (thread) => {
    if (lua.lua_type(thread, 1) === lua.LUA_TTABLE) return make(thread, null, 1);
    const text =
      lua.lua_type(thread, 1) === lua.LUA_TSTRING
        ? (toText(thread, 1) ?? '')
        : lauxlib.luaL_argerror(
            thread,
            1,
            literal('a signature, as "question -> answer", or a table expected'),
          );
    const isNamed = !lua.lua_isnoneornil(thread, 2);
    if (isNamed) lauxlib.luaL_checktype(thread, 2, lua.LUA_TTABLE);
    if (isNamed) return make(thread, text, 2);
    if (text.includes('->')) return make(thread, null, 1);
    lua.lua_pushcfunction(thread, (caller) => {
      lauxlib.luaL_checktype(caller, 1, lua.LUA_TTABLE);
      return make(caller, text, 1);
    });
    return 1;
  };
  return { Signature };
});
