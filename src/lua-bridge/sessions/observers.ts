import { canonicalJson, type JsonValue } from '../../contract/json/json.js';
import {
  addTransactionPart,
  DeclaredList,
  errorText,
  lauxlib,
  lua,
  LuaRaised,
  native,
  PerRun,
  pushJson,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { session } from './session-of-run.js';

/** A function of the file that is told of changes of a slice. */
interface Observer {
  slice: string;
  /** Registry reference. */
  body: number;
}

/** Observers, and those that were taken back: both are lost with a frame that isn't run again, so both are declarations. */
const declared = new DeclaredList<Observer | { over: Observer }>();

/** Slices that have changed, with what was in them before, until their observers are told. */
const changed = new PerRun(() => new Map<string, JsonValue[]>(), 'elsewhere');

const itemCost = 10;

/** `slice.observe(fn)`: the function is called with what was there and what is there. Pushes the function that takes it back, once. */
export function observe(bridge: Bridge, L: LuaState, slice: string): number {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
  lua.lua_pushvalue(L, 1);
  const observer = { slice, body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) };
  declared.add(bridge, observer);
  session.of(bridge).onChange ??= (name, items) => {
    const before = changed.of(bridge);
    if (before.has(name) || observersOf(bridge, name).length === 0) return;
    const values = items();
    bridge.meter.charge(values.length * itemCost);
    before.set(name, values);
  };
  const stop = native(bridge, function* (thread) {
    yield* [];
    const isThere = observersOf(bridge, slice).includes(observer);
    if (isThere) declared.add(bridge, { over: observer });
    lua.lua_pushboolean(thread, isThere);
    return 1;
  });
  lua.lua_pushcfunction(L, stop);
  return 1;
}

function observersOf(bridge: Bridge, slice: string): Observer[] {
  const all = declared.of(bridge);
  const over = new Set(all.flatMap((each) => ('over' in each ? [each.over] : [])));
  return all.filter((each): each is Observer => !('over' in each) && each.slice === slice && !over.has(each));
}

/** Tells observers of what has changed. One that fails is shown as a warning, and keeps no other one from being called. */
export function* tellObservers(bridge: Bridge, L: LuaState): Generator<Step, void, unknown> {
  const pending = changed.of(bridge);
  for (const [slice, before] of pending) {
    pending.delete(slice);
    const after = session.of(bridge).all(slice);
    if (isSame(bridge, before, after)) continue;
    for (const { body } of observersOf(bridge, slice)) yield* tell(bridge, L, slice, body, before, after);
  }
}

/** What a tool changes in a transaction is told of once it has succeeded. */
addTransactionPart({ mayRefuse: false, begin: () => undefined, end: () => undefined, told: tellObservers });

function isSame(bridge: Bridge, before: readonly JsonValue[], after: readonly JsonValue[]): boolean {
  if (before.length !== after.length) return false;
  const differing = before.flatMap((each, i) =>
    each === after[i] ? [] : [[each, after[i] ?? null] as const],
  );
  bridge.meter.charge(before.length * itemCost);
  return differing.every(([one, other]) => {
    const [text, otherText] = [canonicalJson(one), canonicalJson(other)];
    bridge.meter.charge((text.length + otherText.length) >> 1);
    return text === otherText;
  });
}

function* tell(
  bridge: Bridge,
  L: LuaState,
  slice: string,
  body: number,
  before: JsonValue[],
  after: JsonValue[],
): Generator<Step, void, unknown> {
  const top = lua.lua_gettop(L);
  try {
    lua.lua_checkstack(L, 6);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
    pushJson(L, before);
    pushJson(L, after);
    yield { call: 2, results: 0 };
  } catch (error) {
    if (!(error instanceof LuaRaised)) throw error;
    const message = `an observer of the slice ${slice} failed: ${errorText(L, -1)}`;
    bridge.show({ kind: 'log', level: 'warning', message, context: { slice } });
  } finally {
    lua.lua_settop(L, top);
  }
}
