import type { JsonValue } from '../../contract/json/json.js';
import {
  GlobalFunctions,
  globalNameOf,
  handleAt,
  jsonAt,
  lauxlib,
  literal,
  lua,
  native,
  pushField,
  pushHandle,
  pushJson,
  toText,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import {
  declaredModules,
  moduleKeys,
  outputsOf,
  readModule,
  type ModuleDeclaration,
} from './module-declaration.js';
import { historyType } from './history-primitive.js';
import { givenInputs, predictModule } from './predict-module.js';
import { shownFields, type Signature } from './signature.js';
import { signatureType } from './signature-primitive.js';

/**
 * `qa = Module {signature = "question -> answer", strategy = "chain_of_thought"}`, `Module "name" {…}`,
 * `Module("name", {…})`; `qa({question = "…"}).answer`.
 */
export function openModule(bridge: Bridge): void {
  functions.open(bridge);
}

const functions = new GlobalFunctions(['Module'], (bridge) => {
  const type: HandleType = { name: 'Module', index: () => 0 };
  type.call = native(bridge, function* (thread) {
    const module = handleAt(thread, 1, type) as ModuleDeclaration;
    const name = nameOf(bridge, module);
    lua.lua_settop(thread, 2);
    const given = givenInputs(thread, 2, historyType.of(bridge), name);
    pushJson(thread, yield* predictModule(bridge, thread, module, name, given));
    return 1;
  });
  type.index = (thread, held, key) => {
    const module = held as ModuleDeclaration;
    if (key === 'signature') pushHandle(thread, signatureType.of(bridge), module.signature);
    else {
      const shown = shownOf(bridge, module, key);
      if (shown === undefined) return 0;
      pushJson(thread, shown);
    }
    return 1;
  };
  return { Module: declare(bridge, type) };
});

function shownOf(bridge: Bridge, module: ModuleDeclaration, key: string): JsonValue | undefined {
  switch (key) {
    case 'name':
      return nameOf(bridge, module);
    case 'strategy':
      return module.strategy;
    case 'input_schema':
      return shownFields(module.signature.input);
    case 'output_schema':
      return shownFields(outputsOf(module));
    default:
      return undefined;
  }
}

function nameOf(bridge: Bridge, module: ModuleDeclaration): string {
  module.name ??= globalNameOf(bridge.L, module);
  module.name ??= `module_${declaredModules.of(bridge).indexOf(module) + 1}`;
  return module.name;
}

function declare(bridge: Bridge, type: HandleType): CFunction {
  const add = (L: LuaState, name: string | null, config: number): number => {
    const module = bridge.scheduler.notes.guard(L, () => {
      const fields = Object.fromEntries(moduleKeys(bridge).map((key) => [key, jsonAt(L, config, key)]));
      return readModule(bridge, name, fields, signatureAt(L, config, signatureType.of(bridge)));
    });
    declaredModules.add(bridge, module);
    pushHandle(L, type, module);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 1) === lua.LUA_TTABLE) return add(L, null, 1);
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return add(L, name, 2);
    lua.lua_pushcfunction(L, (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      return add(thread, name, 1);
    });
    return 1;
  };
}

/** null where it is no handle. */
function signatureAt(L: LuaState, config: number, type: HandleType): Signature | null {
  pushField(L, config, 'signature');
  const signature = handleAt(L, -1, type) as Signature | null;
  lua.lua_pop(L, 1);
  return signature;
}
