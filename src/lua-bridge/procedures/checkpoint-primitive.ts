import { TactusError } from '../../contract/errors.js';
import { childPosition, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import {
  currentFrame,
  functionDigest,
  GlobalFunctions,
  lauxlib,
  Library,
  lua,
  native,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type Native,
} from '../kernel/index.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { stepOf } from './step-primitive.js';
import { declareStep } from '../specifications/specifications.js';
import { declaredProcedures, loading } from './procedure-declaration.js';

/** `checkpoint()`, `checkpoint(fn)`, `Step.checkpoint(fn)`, `step("name", fn)` and `Checkpoint.*`. */
export function openCheckpoint(bridge: Bridge): void {
  functions.open(bridge);
  steps.open(bridge);
  checkpoints.open(bridge);
}

const functions = new GlobalFunctions(['checkpoint', 'step'], (bridge) => ({
  checkpoint: native(bridge, explicit(bridge)),
  step: native(bridge, stepOrDeclaration(bridge)),
}));

const steps = new Library('Step', () => ({ checkpoint: functions.standIn('checkpoint') }), {
  call: (bridge) => (L) => declareStep(bridge, L, 2),
});

const checkpoints = new Library('Checkpoint', readers);

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
      ...(hasBody ? { body: () => functionDigest(L, 1) } : {}),
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
  const run = stepOf(bridge);
  return function* (L) {
    if (!loading.of(bridge).hasEnded && declaredProcedures.of(bridge).length > 0)
      return declareStep(bridge, L, 1);
    return yield* run(L);
  };
}

function readers(bridge: Bridge): Record<string, CFunction> {
  const at = (L: Bridge['L']): string => {
    if (lua.lua_type(L, 1) === lua.LUA_TSTRING) return toText(L, 1) ?? '';
    return childPosition(currentFrame(L).position, lauxlib.luaL_checkinteger(L, 1));
  };
  // What a snapshot stands for isn't there after the run has continued as new: so it isn't seen before, either.
  const seen = (position: Position): Checkpoint | null =>
    bridge.log.sealed.has(position) ? null : bridge.log.find(position);
  return {
    next_position: (L) => {
      lua.lua_pushinteger(L, currentFrame(L).next);
      return 1;
    },
    clear_all: (L) => bridge.scheduler.notes.raise(L, unclearable()),
    clear_after: (L) => bridge.scheduler.notes.raise(L, unclearable()),
    exists: (L) => {
      lua.lua_pushboolean(L, seen(at(L)) !== null);
      return 1;
    },
    get: (L) => {
      const outcome = seen(at(L))?.outcome;
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
