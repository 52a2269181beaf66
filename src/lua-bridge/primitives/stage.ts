import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { Bridge } from '../bridge.js';
import { textsOf } from '../config-table.js';
import { setLibrary } from '../handle.js';
import { pushJson, toJson } from '../marshal.js';
import { lauxlib, literal, lua, toText, type CFunction, type LuaState } from '../vm/fengari.js';

/** `stages({"a", "b"})` declares where a procedure can stand, `Stage.set("a")` says where it does. */
export function openStage(bridge: Bridge): void {
  const { L, declared, progress, scheduler } = bridge;
  const nameAt = (thread: LuaState): string =>
    toText(thread, 1) ?? lauxlib.luaL_argerror(thread, 1, literal('the name of a stage expected'));
  const push = (thread: LuaState, value: JsonValue): number => {
    pushJson(thread, value);
    return 1;
  };
  const is: CFunction = (thread) => push(thread, progress.stage === nameAt(thread));
  lua.lua_pushcfunction(L, (thread) => {
    lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
    declared.stages = textsOf(scheduler.notes.guard(thread, () => toJson(thread, 1))) ?? [];
    return 0;
  });
  lua.lua_setglobal(L, literal('stages'));
  setLibrary(L, 'Stage', {
    set: (thread) => {
      scheduler.notes.guard(thread, () => enter(bridge, nameAt(thread)));
      return 0;
    },
    current: (thread) => push(thread, progress.stage),
    is,
    is_current: is,
    advance: (thread) =>
      push(
        thread,
        scheduler.notes.guard(thread, () => advance(bridge)),
      ),
    count: (thread) => push(thread, progress.stages.length),
    history: (thread) => push(thread, historyOf(bridge)),
    clear_history: () => {
      progress.stages.length = 0;
      return 0;
    },
  });
}

function historyOf({ progress }: Bridge): JsonValue {
  return progress.stages.map(({ from, to, at }) => ({
    from_stage: from,
    to_stage: to,
    timestamp: new Date(at).toISOString(),
  }));
}

/** @throws TactusError lua_error where the stage isn't declared */
function enter({ declared, progress, now, meter, observed }: Bridge, stage: string): void {
  if (declared.stages.length > 0 && !declared.stages.includes(stage))
    throw new TactusError(
      'lua_error',
      `Invalid stage '${stage}'. Valid stages: ${declared.stages.join(', ')}`,
    );
  meter.keep(200 + 2 * stage.length);
  progress.stages.push({ from: progress.stage, to: stage, at: now() });
  progress.stage = stage;
  observed?.stages.push(stage);
}

/** Goes on to the next stage, and gives it; null at the last one. */
function advance(bridge: Bridge): string | null {
  const { declared, progress } = bridge;
  if (progress.stage === null)
    throw new TactusError('lua_error', 'Stage.advance: no stage is set yet; call Stage.set first');
  const at = declared.stages.indexOf(progress.stage);
  if (at < 0) throw new TactusError('lua_error', `Stage.advance: '${progress.stage}' is no declared stage`);
  const next = declared.stages[at + 1] ?? null;
  if (next !== null) enter(bridge, next);
  return next;
}
