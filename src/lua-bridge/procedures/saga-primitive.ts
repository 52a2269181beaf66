import { withCleanup } from '../checkpoints/compensating.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import {
  currentFrame,
  GlobalFunctions,
  lauxlib,
  literal,
  lua,
  native,
  register,
  setField,
  toText,
  type Bridge,
  type CFunction,
  type Cleanup,
  type LuaState,
  type Native,
} from '../kernel/index.js';

/** `Saga("name", function(saga) … end)` and `defer("name", function() … end)`. */
export function openSagas(bridge: Bridge): void {
  functions.open(bridge);
}

const functions = new GlobalFunctions(['Saga', 'defer'], (bridge) => ({
  Saga: native(bridge, saga(bridge)),
  defer: defer(bridge),
}));

function saga(bridge: Bridge): Native {
  return function* (L) {
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the name of the saga expected'));
    lauxlib.luaL_checktype(L, 2, lua.LUA_TFUNCTION);
    lua.lua_settop(L, 2);
    const title = `${name} · saga`;
    const spec = { type: 'step', name, title, input: null, digest: '', scope: { step: name } } as const;
    yield* checkpointed(bridge, L, spec, () =>
      withCleanup(bridge, L, function* (cleanup) {
        lua.lua_pushvalue(L, 2);
        pushSaga(bridge, L, cleanup);
        yield { call: 1, results: -1 };
        return null;
      }),
    );
    return lua.lua_gettop(L) - 2;
  };
}

/** What the function of a saga is given. */
function pushSaga(bridge: Bridge, L: LuaState, cleanup: Cleanup): void {
  lua.lua_checkstack(L, 3);
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, (thread) => {
    // Written `saga:add_compensation(…)`, it is given the table first.
    if (lua.lua_type(thread, 1) === lua.LUA_TTABLE) lua.lua_remove(thread, 1);
    registerAt(bridge, thread, cleanup, 'the name of the compensation expected', false);
    return 0;
  });
  setField(L, -2, 'add_compensation');
}

function defer(bridge: Bridge): CFunction {
  return (L) => {
    const { cleanup } = currentFrame(L).scope;
    registerAt(bridge, L, cleanup, 'the name of the deferred function expected', true);
    return 0;
  };
}

/** Registers a function by its name: the first arguments. */
function registerAt(
  bridge: Bridge,
  L: LuaState,
  cleanup: Cleanup | undefined,
  expected: string,
  isAlways: boolean,
): void {
  const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal(expected));
  lauxlib.luaL_checktype(L, 2, lua.LUA_TFUNCTION);
  lua.lua_settop(L, 2);
  bridge.scheduler.notes.guard(L, () => register(bridge, L, cleanup, name, isAlways));
}
