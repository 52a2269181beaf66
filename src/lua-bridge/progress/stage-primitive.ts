import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import {
  GlobalFunctions,
  lauxlib,
  Library,
  literal,
  lua,
  pushJson,
  textsOf,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';
import { progress } from './progress.js';
import { observed } from '../specifications/specifications.js';

/** `stages({"a", "b"})` declares where a procedure can stand, `Stage.set("a")` says where it does. */
export function openStage(bridge: Bridge): void {
  functions.open(bridge);
  stage.open(bridge);
}

const functions = new GlobalFunctions(['stages'], (bridge) => ({
  stages: (L) => {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
    progress.of(bridge).stageNames = textsOf(bridge.scheduler.notes.guard(L, () => toJson(L, 1))) ?? [];
    return 0;
  },
}));

const stage = new Library('Stage', (bridge) => {
  const { scheduler } = bridge;
  const nameAt = (thread: LuaState): string =>
    toText(thread, 1) ?? lauxlib.luaL_argerror(thread, 1, literal('the name of a stage expected'));
  const push = (thread: LuaState, value: JsonValue): number => {
    pushJson(thread, value);
    return 1;
  };
  const is: CFunction = (thread) => push(thread, progress.of(bridge).stage === nameAt(thread));
  return {
    set: (thread) => {
      scheduler.notes.guard(thread, () => enter(bridge, nameAt(thread)));
      return 0;
    },
    current: (thread) => push(thread, progress.of(bridge).stage),
    is,
    is_current: is,
    advance: (thread) =>
      push(
        thread,
        scheduler.notes.guard(thread, () => advance(bridge)),
      ),
    count: (thread) => push(thread, progress.of(bridge).stages.length),
    history: (thread) => push(thread, historyOf(bridge)),
    clear_history: () => {
      progress.of(bridge).stages.length = 0;
      return 0;
    },
  };
});

function historyOf(bridge: Bridge): JsonValue {
  return progress.of(bridge).stages.map(({ from, to, at }) => ({
    from_stage: from,
    to_stage: to,
    timestamp: new Date(at).toISOString(),
  }));
}

/** @throws TactusError lua_error where the stage isn't declared */
function enter(bridge: Bridge, stage: string): void {
  const at = progress.of(bridge);
  if (at.stageNames.length > 0 && !at.stageNames.includes(stage))
    throw new TactusError('lua_error', `Invalid stage '${stage}'. Valid stages: ${at.stageNames.join(', ')}`);
  bridge.meter.keep(200 + 2 * stage.length);
  at.stages.push({ from: at.stage, to: stage, at: bridge.now() });
  at.stage = stage;
  observed(bridge)?.stages.push(stage);
}

/** Goes on to the next stage, and gives it; null at the last one. */
function advance(bridge: Bridge): string | null {
  const at = progress.of(bridge);
  if (at.stage === null)
    throw new TactusError('lua_error', 'Stage.advance: no stage is set yet; call Stage.set first');
  const index = at.stageNames.indexOf(at.stage);
  if (index < 0) throw new TactusError('lua_error', `Stage.advance: '${at.stage}' is no declared stage`);
  const next = at.stageNames[index + 1] ?? null;
  if (next !== null) enter(bridge, next);
  return next;
}
