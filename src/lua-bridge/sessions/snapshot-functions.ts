import { TactusError } from '../../contract/errors.js';
import { utf8Length, type JsonValue } from '../../contract/json/json.js';
import { procedureName } from '../../contract/procedures/source.js';
import { asPlan } from '../../contract/sessions/plan.js';
import { planSlice } from '../../contract/sessions/session-content.js';
import {
  nameOfType,
  readSnapshot,
  restoreError,
  snapshotText,
  typeOfSlice,
  type SnapshotSlice,
} from '../../contract/sessions/snapshot.js';
import {
  jsonAt,
  lauxlib,
  literal,
  lua,
  pushField,
  pushJson,
  pushText,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { tellObservers } from './observers.js';
import { sessionAt } from './session-of-run.js';

/**
 * The session as the text of a snapshot.
 * @throws TactusError snapshot_failed where it is larger than what can be kept
 */
export function takeSnapshot(bridge: Bridge, L: LuaState): string {
  const { meter, limits, run } = bridge;
  const text = snapshotText(sessionAt(bridge, L).content.slices, {
    at: bridge.now(),
    runId: run.id,
    procedure: procedureName(run.source),
  });
  const bytes = utf8Length(text);
  meter.charge(bytes >> 1);
  if (bytes > limits.payloadBytes)
    throw new TactusError(
      'snapshot_failed',
      `SnapshotSerializationError: Unable to serialize session slices: the snapshot has ${bytes} bytes, and ${limits.payloadBytes} can be kept`,
    );
  return text;
}

/** `Session.snapshot()`. */
export function snapshot(bridge: Bridge): Native {
  return function* (L) {
    yield* [];
    pushText(L, takeSnapshot(bridge, L));
    return 1;
  };
}

/** `Session.restore(text, {missing =, migrate =})`. Where anything fails, the session is as it was. */
export function restore(bridge: Bridge): Native {
  return function* (L) {
    const text = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the text of a snapshot expected'));
    const isLenient = readOptions(L);
    bridge.meter.charge(text.length);
    const { slices, createdAt, tags } = readSnapshot(text);
    const restored = new Map<string, Restored>();
    const missing: string[] = [];
    for (const slice of slices) {
      const found = yield* restoredSlice(bridge, L, slice);
      if (found === 'missing') missing.push(nameOfType(slice.type));
      else if (found !== null)
        restored.set(found.name, {
          ...found,
          items: [...(restored.get(found.name)?.items ?? []), ...found.items],
        });
    }
    if (missing.length > 0 && !isLenient)
      throw restoreError(`Slice types not registered: ${missing.sort().join(', ')}`);
    const plans = restored.get(planSlice)?.items ?? [];
    if (plans.some((plan) => asPlan(plan) === null))
      throw restoreError(`Failed to restore slice ${planSlice}`);
    sessionAt(bridge, L).restore([...restored.values()]);
    yield* tellObservers(bridge, L);
    pushJson(L, {
      created_at: new Date(createdAt).toISOString(),
      restored: [...restored.keys()],
      ignored: missing,
      tags,
    });
    return 1;
  };
}

interface Restored {
  name: string;
  items: JsonValue[];
  type?: string;
}

/** What becomes of a slice of a snapshot; null: its migration gave nothing. */
function* restoredSlice(
  bridge: Bridge,
  L: LuaState,
  slice: SnapshotSlice,
): Generator<Step, Restored | 'missing' | null, unknown> {
  const store = sessionAt(bridge, L);
  const { type, items } = slice;
  const name = [type, nameOfType(type)].find((each) => store.has(each)) ?? null;
  const top = lua.lua_gettop(L);
  if (!pushMigration(L, slice)) {
    if (name === null) return 'missing';
    return { name, items, ...(type === typeOfSlice(name) ? {} : { type }) };
  }
  pushJson(L, items);
  yield { call: 1, results: 2 };
  const migrated = toJson(L, -2, bridge.limits.depth);
  const target = lua.lua_type(L, -1) === lua.LUA_TSTRING ? toText(L, -1) : name;
  lua.lua_settop(L, top);
  if (migrated === null) return null;
  if (!Array.isArray(migrated))
    throw new TactusError(
      'lua_error',
      `Session.restore: migrate of ${nameOfType(type)} must return a list of items, or nil`,
    );
  if (target === null) return 'missing';
  if (!store.has(target)) throw restoreError(`Slice types not registered: ${target}`);
  return { name: target, items: migrated };
}

/** Pushes the function that is to migrate a slice, by its name or its whole type; false: there is none. */
function pushMigration(L: LuaState, { type }: SnapshotSlice): boolean {
  const top = lua.lua_gettop(L);
  if (lua.lua_type(L, 2) === lua.LUA_TTABLE && pushField(L, 2, 'migrate') === lua.LUA_TTABLE) {
    const table = lua.lua_gettop(L);
    for (const key of [type, nameOfType(type)])
      if (pushField(L, table, key) === lua.LUA_TFUNCTION) return true;
  }
  lua.lua_settop(L, top);
  return false;
}

/**
 * Whether slices that nobody has declared are left out, instead of an error.
 * @throws TactusError lua_error where an option is none
 */
function readOptions(L: LuaState): boolean {
  lua.lua_settop(L, 2);
  if (lua.lua_isnil(L, 2)) return false;
  lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, 2)) {
    const key = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    if (key !== 'missing' && key !== 'migrate')
      throw new TactusError(
        'lua_error',
        `Session.restore has no option ${key ?? 'without a name'}: it has missing and migrate`,
      );
    lua.lua_pop(L, 1);
  }
  const missing = jsonAt(L, 2, 'missing') ?? 'error';
  if (missing !== 'error' && missing !== 'ignore')
    throw new TactusError(
      'lua_error',
      `Session.restore: missing must be "error" or "ignore", got ${JSON.stringify(missing)}`,
    );
  const type = pushField(L, 2, 'migrate');
  if (type !== lua.LUA_TNIL && type !== lua.LUA_TTABLE)
    throw new TactusError(
      'lua_error',
      'Session.restore: migrate must be a table of functions, by the names of slices',
    );
  lua.lua_settop(L, 2);
  return missing === 'ignore';
}
