import { TactusError } from '../../contract/errors.js';
import { childPosition } from '../../contract/checkpoints/checkpoint.js';
import {
  currentFrame,
  lauxlib,
  literal,
  lua,
  native,
  pushJson,
  setLibrary,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type Native,
} from '../kernel/index.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { declareStep } from '../specifications/specifications.js';
import { declaredProcedures, loading } from './procedure-declaration.js';

/** `checkpoint()`, `checkpoint(fn)`, `Step.checkpoint(fn)`, `step("name", fn)` and `Checkpoint.*`. */
export function openCheckpoint(bridge: Bridge): void {
  const { L } = bridge;
  const checkpoint = native(bridge, explicit(bridge));
  lua.lua_pushcfunction(L, checkpoint);
  lua.lua_setglobal(L, literal('checkpoint'));
  lua.lua_pushcfunction(L, native(bridge, stepOrDeclaration(bridge)));
  lua.lua_setglobal(L, literal('step'));
  setLibrary(L, 'Step', { checkpoint }, (thread) => declareStep(bridge, thread, 2));
  setLibrary(L, 'Checkpoint', readers(bridge));
}

/** Records what the function returns; without a function, only that the run came here. */
function explicit(bridge: Bridge): Native {
  return function* (L) {
    const hasBody = !lua.lua_isnoneornil(L, 1);
    if (hasBody) lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
    bridge.meter.charge(1_000);
    const spec = {
      type: 'explicit_checkpoint',
      name: 'checkpoint',
      input: null,
      digest: '',
      scope: { isRecorded: true },
    } as const;
    const value = yield* checkpointed(bridge, L, spec, function* () {
      if (!hasBody) return null;
      lua.lua_pushvalue(L, 1);
      yield { call: 0, results: 1 };
      return toJson(L, -1);
    });
    if (!hasBody) return 0;
    pushJson(L, value);
    return 1;
  };
}

/** `step` beside declared procedures, where nothing runs yet, is an older spelling of `Step`. */
function stepOrDeclaration(bridge: Bridge): Native {
  const run = step(bridge);
  return function* (L) {
    if (!loading.of(bridge).hasEnded && declaredProcedures.of(bridge).length > 0)
      return declareStep(bridge, L, 1);
    return yield* run(L);
  };
}

/** Groups checkpoints under a name; gives what the function returns. */
function step(bridge: Bridge): Native {
  return function* (L) {
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the name of the step expected'));
    lauxlib.luaL_checktype(L, 2, lua.LUA_TFUNCTION);
    lua.lua_settop(L, 2);
    const spec = { type: 'step', name, input: null, digest: '', scope: { step: name } } as const;
    yield* checkpointed(bridge, L, spec, function* () {
      lua.lua_pushvalue(L, 2);
      yield { call: 0, results: -1 };
      return null;
    });
    return lua.lua_gettop(L) - 2;
  };
}

function readers(bridge: Bridge): Record<string, CFunction> {
  const at = (L: Bridge['L']): string => {
    if (lua.lua_type(L, 1) === lua.LUA_TSTRING) return toText(L, 1) ?? '';
    return childPosition(currentFrame(L).position, lauxlib.luaL_checkinteger(L, 1));
  };
  return {
    next_position: (L) => {
      lua.lua_pushinteger(L, currentFrame(L).next);
      return 1;
    },
    clear_all: (L) => bridge.scheduler.notes.raise(L, unclearable()),
    clear_after: (L) => bridge.scheduler.notes.raise(L, unclearable()),
    exists: (L) => {
      lua.lua_pushboolean(L, bridge.log.find(at(L)) !== null);
      return 1;
    },
    get: (L) => {
      const outcome = bridge.log.find(at(L))?.outcome;
      pushJson(L, outcome?.ok === true ? outcome.value : null);
      return 1;
    },
  };
}

function unclearable(): TactusError {
  return new TactusError(
    'lua_error',
    "a procedure can't clear its own checkpoints: what was done stays done; fork the run to do it otherwise",
  );
}
