import { isWithin, type Position } from '../../contract/checkpoints/checkpoint.js';
import { hasCode } from '../../contract/errors.js';
import { asJson, utf8Length, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Plan, PlanChange } from '../../contract/sessions/plan.js';
import {
  errorText,
  lua,
  LuaRaised,
  PerRun,
  pushJson,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { sessionAt } from './session-of-run.js';
import { takeSnapshot } from './snapshot-functions.js';

/** What happens in a session that may be worth a snapshot. */
export interface SessionEvent {
  /** Where it happened. */
  position: Position;
  /** The names that it goes by, the most telling first. */
  names: readonly string[];
  /** What a function of the file is told of it, besides its name. */
  facts: JsonObject;
}

/** What a loop under way makes snapshots on. */
export interface Triggers {
  /** Position of its round. */
  position: Position;
  on: { names: readonly string[] } | { body: number };
}

/** Loops that are under way, the innermost last. */
export const openTriggers = new PerRun((): { loops: Triggers[] } => ({ loops: [] }), 'elsewhere');

/** What the change of a plan is to those who make snapshots. */
export function planEvent(position: Position, change: PlanChange, plan: Plan): SessionEvent {
  const isDone = change.action === 'update' && change.status === 'done';
  const { action, ...facts } = change;
  return {
    position,
    names: [...(isDone ? ['plan_step_done'] : []), 'plan_changed'],
    facts: { ...asJson(facts), action, plan: asJson(plan) },
  };
}

/**
 * Makes a snapshot where a loop around wants one for the event; gives whether it does. Nothing of it ends anything: what can't
 * be written, or be decided, is counted and shown.
 */
export function* noteEvent(
  bridge: Bridge,
  L: LuaState,
  event: SessionEvent,
): Generator<Step, boolean, unknown> {
  const { position, names } = event;
  const around = openTriggers.of(bridge).loops.filter((loop) => isWithin(position, loop.position));
  for (const { on } of around.reverse()) {
    const trigger =
      'names' in on
        ? (names.find((name) => on.names.includes(name)) ?? null)
        : yield* decidedBy(bridge, L, on.body, event);
    if (trigger === null) continue;
    keepSnapshot(bridge, L, position, trigger);
    return true;
  }
  return false;
}

/** The event's name where the function of the file says so. One that fails is told of, and says nothing. */
function* decidedBy(
  bridge: Bridge,
  L: LuaState,
  body: number,
  { position, names, facts }: SessionEvent,
): Generator<Step, string | null, unknown> {
  const top = lua.lua_gettop(L);
  const [name = 'event'] = names;
  try {
    lua.lua_checkstack(L, 4);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
    pushJson(L, { ...facts, name });
    yield { call: 1, results: 1 };
    const isWanted = lua.lua_toboolean(L, -1);
    lua.lua_settop(L, top);
    return isWanted ? name : null;
  } catch (error) {
    if (!(error instanceof LuaRaised)) throw error;
    const problem = `checkpoint_on: ${errorText(L, -1)}`;
    lua.lua_settop(L, top);
    keepEntry(bridge, L, { position, trigger: name, bytes: null, error: problem });
    return null;
  }
}

/** Makes a snapshot, and keeps that it was made. */
export function keepSnapshot(bridge: Bridge, L: LuaState, position: Position, trigger: string): void {
  try {
    keepEntry(bridge, L, { position, trigger, bytes: utf8Length(takeSnapshot(bridge, L)), error: null });
  } catch (error) {
    if (!hasCode(error, 'snapshot_failed')) throw error;
    keepEntry(bridge, L, { position, trigger, bytes: null, error: error.message });
  }
}

type Kept = { position: Position; trigger: string; bytes: number | null; error: string | null };

function keepEntry(bridge: Bridge, L: LuaState, { error, ...entry }: Kept): void {
  sessionAt(bridge, L).keepSnapshot({ at: new Date(bridge.now()).toISOString(), ...entry, error });
  if (error === null) return;
  const context: JsonValue = { position: entry.position, trigger: entry.trigger };
  bridge.show({ kind: 'log', level: 'warning', message: `no snapshot of the session: ${error}`, context });
}
