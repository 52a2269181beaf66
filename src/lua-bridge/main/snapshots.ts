import type { BudgetUse } from '../../contract/budgets/budget.js';
import { snapshotVersion, type Snapshot } from '../../contract/checkpoints/snapshot.js';
import {
  asJson,
  canonicalJson,
  getOwn,
  isObject,
  jsonSize,
  setOwn,
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
  stampsOfParts,
  takeParts,
  toExact,
  type Bridge,
  type LuaState,
  type Scope,
  type SnapshotBase,
  type SnapshotFrame,
} from '../kernel/index.js';

/** What a snapshot has of the libraries. */
export interface Libraries {
  chance: Chance;
  determinism: Determinism;
}

/** Instructions that a snapshot costs beside its size. */
const snapshotCost = 2_000;

/** What a snapshot has that comes of the procedure. */
type Content = Required<Pick<Snapshot, 'state' | 'chance' | 'warned' | 'rooms'>> & {
  budgets: { lasting: Record<string, BudgetUse>; around: (BudgetUse | null)[] };
};

/**
 * What a frame begins with, for a snapshot that is to have the difference alone; null where none could be taken of it now.
 * @param position of the frame
 */
export function lookAtStart(
  bridge: Bridge,
  L: LuaState,
  { scope }: SnapshotFrame,
  libraries: Libraries,
): SnapshotBase | null {
  if (!canBeTaken(bridge, scope)) return null;
  const stamps = stampsOfParts(bridge, L);
  const content = contentOf(bridge, L, scope, libraries, stamps);
  if (content === null) return null;
  const texts = partsOf(content).map(([name, value]) => [name, JSON.stringify(value)] as const);
  bridge.meter.charge(snapshotCost + (texts.reduce((sum, [, text]) => sum + text.length, 0) >> 1));
  return { texts: new Map(texts), stamps };
}

/**
 * All that a procedure has come to in a frame, for a log that begins here; null where a replay of what comes after can't be
 * sure to come to the same: something else is under way, or the state holds what has no exact form.
 * @param shown how many lines of this pass were shown
 * @param begun what the frame began with: the snapshot has what is other than that. Left out: it has everything
 */
export function takeSnapshot(
  bridge: Bridge,
  L: LuaState,
  { position, scope }: SnapshotFrame,
  libraries: Libraries,
  { shown, begun }: { shown: number; begun: SnapshotBase | undefined },
): Snapshot | null {
  const { meter, log } = bridge;
  meter.charge(snapshotCost);
  if (!canBeTaken(bridge, scope)) return null;
  const content = contentOf(bridge, L, scope, libraries, begun?.stamps);
  if (content === null) return null;
  // What rooms keep changes later: a snapshot doesn't.
  const copy = JSON.parse(JSON.stringify(content)) as Content;
  meter.charge(jsonSize(asJson(copy)) >> 1);
  return {
    version: snapshotVersion,
    frame: position,
    checkpoints: log.count,
    shown,
    ...(begun === undefined ? copy : otherThan(copy, begun)),
    meter: meter.handOver(),
    ids: L.l_G.id_counter,
  };
}

/** Nothing else is under way, and the run isn't one of those that run whole again. */
function canBeTaken(bridge: Bridge, scope: Scope): boolean {
  const { scheduler, run } = bridge;
  // Runs of tests are short, and run whole again. Whoever asks for snapshots compares them.
  const isWanted = bridge.onCompacted !== null || (run.mock === null && run.scenario === null);
  // What a transaction changes is no part of the state yet.
  if (scope.transaction !== undefined) return false;
  return isWanted && scheduler.isAlone && spending.of(bridge).isAtRest;
}

/** null: the state has no exact form. */
function contentOf(
  bridge: Bridge,
  L: LuaState,
  scope: Scope,
  { chance, determinism }: Libraries,
  stamps?: ReadonlyMap<string, number>,
): Content | null {
  const state = stateOf(L, scope.state.table);
  if (state === undefined) return null;
  const known = lastingBudgets.of(bridge);
  const lasting = [...known].map(([of, each]) => [of, each.handOver()] as const);
  const isLasting = new Set(known.values());
  return {
    state,
    chance: chance.handOver(),
    warned: determinism.handOver(),
    budgets: {
      lasting: Object.fromEntries(lasting),
      around: scope.budgets.map((each) => (isLasting.has(each) ? null : each.handOver())),
    },
    rooms: takeParts(bridge, L, stamps),
  };
}

/** What can be left out by itself, under a name of its own. */
function partsOf({
  state,
  chance,
  warned,
  budgets: { lasting, around },
  rooms,
}: Content): [string, JsonValue][] {
  const under = (what: string, parts: object | null): [string, JsonValue][] =>
    Object.entries(asJson(parts ?? {})).map(([name, value]) => [`${what} ${name}`, value]);
  return [
    ...under('the', { state, chance, warned }),
    ...Object.entries(lasting).flatMap(([of, use]) => under(`budget ${of}:`, use)),
    ...around.flatMap((use, i) => under(`budget ${i} around:`, use)),
    ...under('room', rooms),
  ];
}

/** What of it is other than at the beginning. */
function otherThan(content: Content, begun: SnapshotBase): Pick<Snapshot, keyof Content> {
  const parts = partsOf(content).filter(([name, value]) => begun.texts.get(name) !== JSON.stringify(value));
  const changed = new Set(parts.map(([name]) => name));
  const { state, chance, warned, budgets, rooms } = content;
  const only = <T extends object>(what: string, fields: T): Partial<T> =>
    Object.fromEntries(
      Object.entries(fields).filter(([name]) => changed.has(`${what} ${name}`)),
    ) as Partial<T>;
  const lasting = Object.entries(budgets.lasting).map(
    ([of, use]) => [of, only(`budget ${of}:`, use)] as const,
  );
  return {
    ...only('the', { state, chance, warned }),
    budgets: {
      lasting: Object.fromEntries(lasting.filter(([, use]) => Object.keys(use).length > 0)),
      around: budgets.around.map((use, i) => (use === null ? null : only(`budget ${i} around:`, use))),
    },
    rooms: only('room', rooms) as Record<string, JsonValue>,
  };
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
  if (state !== undefined) putState(L, scope.state.table, state);
  if (snapshot.chance !== undefined) chance.goOnWith(snapshot.chance);
  if (snapshot.warned !== undefined) determinism.goOnWith(snapshot.warned);
  spending.of(bridge).rest();
  const before = budgetsBefore.of(bridge);
  before.left = { ...before.left };
  for (const [of, each] of lastingBudgets.of(bridge)) {
    const use = getOwn(budgets.lasting, of);
    if (use !== undefined) each.goOnWith({ ...each.handOver(), ...use });
  }
  // Those that are yet to be declared go on from here.
  for (const [of, use] of Object.entries(budgets.lasting))
    setOwn(before.left, of, { ...getOwn(before.left, of), ...use } as BudgetUse);
  scope.budgets.forEach((each, i) => {
    const use = budgets.around[i] ?? null;
    if (use !== null) each.goOnWith({ ...each.handOver(), ...use });
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
