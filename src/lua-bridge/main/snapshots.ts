import { snapshotVersion, type Snapshot } from '../../contract/checkpoints/snapshot.js';
import {
  asJson,
  canonicalJson,
  getOwn,
  isObject,
  jsonSize,
  type JsonValue,
} from '../../contract/json/json.js';
import { budgetsBefore, lastingBudgets, spending } from '../budgets/run-budgets.js';
import type { Chance, Determinism } from '../determinism/determinism.js';
import {
  lua,
  NoExactForm,
  putParts,
  pushExact,
  referredTo,
  takeParts,
  toExact,
  type Bridge,
  type LuaState,
  type SnapshotFrame,
} from '../kernel/index.js';

/** What a snapshot has of the libraries. */
export interface Libraries {
  chance: Chance;
  determinism: Determinism;
}

/** Instructions that a snapshot costs beside its size. */
const snapshotCost = 2_000;

/**
 * All that a procedure has come to in a frame, for a log that begins here; null where a replay of what comes after can't be
 * sure to come to the same: something else is under way, or the state holds what has no exact form.
 * @param shown how many lines of this pass were shown
 */
export function takeSnapshot(
  bridge: Bridge,
  L: LuaState,
  { position, scope }: SnapshotFrame,
  { chance, determinism }: Libraries,
  shown: number,
): Snapshot | null {
  const { meter, log, scheduler, run } = bridge;
  meter.charge(snapshotCost);
  // Runs of tests are short, and run whole again. Whoever asks for snapshots compares them.
  const isWanted = bridge.onCompacted !== null || (run.mock === null && run.scenario === null);
  // What a transaction changes is no part of the state yet.
  if (scope.transaction !== undefined) return null;
  if (!isWanted || !scheduler.isAlone || !spending.of(bridge).isAtRest) return null;
  const state = stateOf(L, scope.state.table);
  if (state === undefined) return null;
  const lasting = [...lastingBudgets.of(bridge)].map(([of, each]) => [of, each.handOver()] as const);
  const taken: Omit<Snapshot, 'meter' | 'ids'> = {
    version: snapshotVersion,
    frame: position,
    checkpoints: log.count,
    shown,
    state,
    chance: chance.handOver(),
    warned: determinism.handOver(),
    budgets: {
      lasting: Object.fromEntries(lasting),
      around: scope.budgets.map((each) => each.handOver()),
    },
    rooms: takeParts(bridge, L),
  };
  // What rooms keep changes later: a snapshot doesn't.
  const copy = JSON.parse(JSON.stringify(taken)) as typeof taken;
  meter.charge(jsonSize(asJson(copy)) >> 1);
  return { ...copy, meter: meter.handOver(), ids: L.l_G.id_counter };
}

function stateOf(L: LuaState, table: number): JsonValue | undefined {
  const value = referredTo(L, table);
  try {
    return value === undefined ? undefined : toExact(L, value);
  } catch (error) {
    if (error instanceof NoExactForm) return undefined;
    throw error;
  }
}

/** Goes on from a snapshot, in the frame that it was taken in. */
export function putSnapshot(
  bridge: Bridge,
  L: LuaState,
  { scope }: SnapshotFrame,
  snapshot: Snapshot,
  { chance, determinism }: Libraries,
): void {
  const { budgets, rooms, state } = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
  putState(L, scope.state.table, state);
  chance.goOnWith(snapshot.chance);
  determinism.goOnWith(snapshot.warned);
  spending.of(bridge).rest();
  budgetsBefore.of(bridge).left = budgets.lasting;
  for (const [of, each] of lastingBudgets.of(bridge)) {
    const use = getOwn(budgets.lasting, of);
    if (use !== undefined) each.goOnWith(use);
  }
  scope.budgets.forEach((each, i) => {
    const use = budgets.around[i];
    if (use !== undefined) each.goOnWith(use);
  });
  putParts(bridge, L, rooms);
  L.l_G.id_counter = snapshot.ids;
  bridge.meter.goOnWith(snapshot.meter);
}

/** The table stays, and so does each value that is the same: the procedure may hold them. */
function putState(L: LuaState, reference: number, state: JsonValue): void {
  const before = pairsOf(stateOf(L, reference) ?? []);
  const known = new Map(before.map(([key, value]) => [canonicalJson(key), canonicalJson(value)]));
  const after = pairsOf(state);
  lua.lua_checkstack(L, 8);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, reference);
  lua.lua_createtable(L, 0, 0);
  for (const [key, value] of after) {
    pushExact(L, key);
    if (known.get(canonicalJson(key)) === canonicalJson(value)) {
      lua.lua_pushvalue(L, -1);
      lua.lua_rawget(L, -4);
    } else pushExact(L, value);
    lua.lua_rawset(L, -3);
  }
  // Taken out and put in again, so that their order is that of the snapshot.
  for (lua.lua_pushnil(L); lua.lua_next(L, -3) !== 0; lua.lua_pushnil(L)) {
    lua.lua_pop(L, 1);
    lua.lua_pushnil(L);
    lua.lua_rawset(L, -4);
  }
  for (const [key] of after) {
    pushExact(L, key);
    lua.lua_pushvalue(L, -1);
    lua.lua_rawget(L, -3);
    lua.lua_rawset(L, -4);
  }
  lua.lua_pop(L, 2);
}

/** Keys and values of a table in the form of `ExactValue`. */
function pairsOf(exact: JsonValue): [JsonValue, JsonValue][] {
  if (Array.isArray(exact)) return exact.map((value, i) => [i + 1, value]);
  return isObject(exact) ? (exact['t'] as [JsonValue, JsonValue][]) : [];
}
