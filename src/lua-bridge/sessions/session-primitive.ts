import { isWithin } from '../../contract/checkpoints/checkpoint.js';
import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { asJson, isEmptyList, isObject, type JsonValue } from '../../contract/json/json.js';
import { asPlan, type Plan } from '../../contract/sessions/plan.js';
import { planSlice, type Reducer } from '../../contract/sessions/session-content.js';
import { recorded } from '../checkpoints/checkpointed.js';
import {
  currentFrame,
  functionAt,
  handleAt,
  jsonAt,
  lauxlib,
  Library,
  literal,
  lua,
  native,
  pushHandle,
  pushJson,
  pushText,
  toJson,
  toText,
  upcomingPosition,
  type Bridge,
  type HandleType,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { observe, tellObservers } from './observers.js';
import { keepPlan } from './plan-changes.js';
import { restore, snapshot } from './snapshot-functions.js';
import { keepLibrary } from './session-library.js';
import { session, sessionAt } from './session-of-run.js';
import { keepSnapshot, noteEvent, openTriggers } from './triggers.js';

/** `Session.slice(name, {reducer =})` with its verbs, `Session.reset()`, `Session.snapshot()` and `Session.restore(text)`. */
export function openSession(bridge: Bridge): void {
  // What a pass goes on with is there from its beginning, and not from the first look at it.
  session.of(bridge);
  const type: HandleType = { name: 'slice', index: () => 0 };
  type.index = (L, held, key) => {
    const { name } = held as HeldSlice;
    if (key === 'name') {
      pushText(L, name);
      return 1;
    }
    const verb = Object.hasOwn(verbs, key) ? verbs[key] : undefined;
    if (verb === undefined) return 0;
    const call = native(bridge, function* (thread) {
      // `notes:append(x)` is the same as `notes.append(x)`.
      if (handleAt(thread, 1, type) === held) lua.lua_remove(thread, 1);
      const results = yield* verb(bridge, thread, name);
      yield* tellObservers(bridge, thread);
      return results;
    });
    lua.lua_pushcfunction(L, call);
    return 1;
  };
  const slice: Native = function* (L) {
    yield* [];
    const name = sliceNameAt(L);
    const { reducer, body } = readReducer(L, name);
    sessionAt(bridge, L).declare(name, reducer, body);
    pushHandle(L, type, { name } satisfies HeldSlice);
    return 1;
  };
  const reset: Native = function* (L) {
    sessionAt(bridge, L).reset();
    yield* tellObservers(bridge, L);
    return 0;
  };
  new Library(
    'Session',
    () => ({
      slice: native(bridge, slice),
      reset: native(bridge, reset),
      snapshot: native(bridge, snapshot(bridge)),
      restore: native(bridge, restore(bridge)),
      checkpoint: native(bridge, checkpoint(bridge)),
    }),
    { isReplaceable: true },
  ).open(bridge);
  keepLibrary(bridge);
}

/** Longest name of an event. */
const mostEventChars = 100;

/**
 * `Session.checkpoint()` makes a snapshot; `Session.checkpoint(name, value)` makes one where a loop around wants it for this
 * event, or where there is no loop around.
 */
function checkpoint(bridge: Bridge): Native {
  return function* (L) {
    const isNamed = !lua.lua_isnoneornil(L, 1);
    const name = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
    if (isNamed && (name === null || name === '' || name.length > mostEventChars))
      return lauxlib.luaL_argerror(
        L,
        1,
        literal(`the name of an event expected, of 1 to ${mostEventChars} characters`),
      );
    const value = lua.lua_isnoneornil(L, 2) ? null : toJson(L, 2);
    const position = upcomingPosition(currentFrame(L));
    const input = { event: name, ...(value === null ? {} : { value }) };
    const spec = {
      type: 'explicit_checkpoint',
      name: name ?? 'session',
      input,
      digest: digestOf(input),
    } as const;
    yield* recorded(bridge, L, spec, () => null);
    const isAlone = !openTriggers.of(bridge).loops.some((loop) => isWithin(position, loop.position));
    if (name === null || isAlone) keepSnapshot(bridge, L, position, name ?? 'on_demand');
    else {
      lua.lua_pushboolean(L, yield* noteEvent(bridge, L, { position, names: [name], facts: { value } }));
      return 1;
    }
    lua.lua_pushboolean(L, true);
    return 1;
  };
}

interface HeldSlice {
  name: string;
}

type Verb = (bridge: Bridge, L: LuaState, name: string) => Generator<Step, number, unknown>;

const verbs: Readonly<Record<string, Verb>> = {
  *append(bridge, L, name) {
    const value = givenAt(L, name, 'append');
    if (name === planSlice) yield* keepItems(bridge, L, name, 'append', [value]);
    else yield* append(bridge, L, name, value);
    return 0;
  },
  *observe(bridge, L, name) {
    yield* [];
    return observe(bridge, L, name);
  },
  *latest(bridge, L, name) {
    yield* [];
    pushJson(L, sessionAt(bridge, L).latest(name));
    return 1;
  },
  *all(bridge, L, name) {
    yield* [];
    pushJson(L, sessionAt(bridge, L).all(name));
    return 1;
  },
  *where(bridge, L, name) {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
    const all = sessionAt(bridge, L).all(name);
    pushJson(L, yield* chosen(L, all, true));
    return 1;
  },
  *seed(bridge, L, name) {
    const given = givenAt(L, name, 'seed');
    yield* keepItems(bridge, L, name, 'seed', Array.isArray(given) ? given : [given]);
    return 0;
  },
  *clear(bridge, L, name) {
    const all = sessionAt(bridge, L).all(name);
    const isPartly = !lua.lua_isnoneornil(L, 1);
    if (isPartly) lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
    yield* keepItems(bridge, L, name, 'clear', isPartly ? yield* chosen(L, all, false) : []);
    return 0;
  },
};

/** The items for which the function at 1 says so. */
function* chosen(
  L: LuaState,
  items: readonly JsonValue[],
  wanted: boolean,
): Generator<Step, JsonValue[], unknown> {
  const kept: JsonValue[] = [];
  for (const item of items) {
    lua.lua_pushvalue(L, 1);
    pushJson(L, item);
    yield { call: 1, results: 1 };
    if (lua.lua_toboolean(L, -1) === wanted) kept.push(item);
    lua.lua_pop(L, 1);
  }
  return kept;
}

/** Appends by the reducer of the slice. A function that fails leaves the slice as it was. */
function* append(
  bridge: Bridge,
  L: LuaState,
  name: string,
  value: JsonValue,
): Generator<Step, void, unknown> {
  const store = sessionAt(bridge, L);
  const body = store.functionOf(name);
  if (body === null) return store.append(name, value);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
  pushJson(L, store.all(name));
  pushJson(L, value);
  yield { call: 2, results: 1 };
  const items = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  if (!Array.isArray(items))
    throw new TactusError('lua_error', `Session: the reducer of ${name} must return the list of its items`);
  store.seed(name, items);
}

/** Puts items in the place of a slice's. A plan is recorded. */
function* keepItems(
  bridge: Bridge,
  L: LuaState,
  name: string,
  verb: string,
  items: readonly JsonValue[],
): Generator<Step, void, unknown> {
  if (name !== planSlice) return sessionAt(bridge, L).seed(name, items);
  const last = items.at(-1) ?? null;
  const plan = last === null ? null : asPlan(last);
  if (last !== null && plan === null)
    throw new TactusError(
      'plan_invalid',
      `Session.slice("Plan").${verb}: ${JSON.stringify(last)} is no plan`,
    );
  const position = upcomingPosition(currentFrame(L));
  const kept = yield* keepPlan(bridge, L, verb, { plan: last }, plan);
  const facts = { action: verb, ...(kept === null ? {} : { plan: asJson<Plan>(kept) }) };
  yield* noteEvent(bridge, L, { position, names: ['plan_changed'], facts });
}

function givenAt(L: LuaState, name: string, verb: string): JsonValue {
  if (lua.lua_isnoneornil(L, 1))
    lauxlib.luaL_argerror(L, 1, literal(`${verb} of the slice ${name} needs a value`));
  return toJson(L, 1);
}

/** Longest name of a slice: it is the name of a type, and people read it. */
const mostNameChars = 200;

function sliceNameAt(L: LuaState): string {
  const name = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
  if (name === null || name === '' || name.length > mostNameChars)
    return lauxlib.luaL_argerror(
      L,
      1,
      literal(`the name of a slice expected, of 1 to ${mostNameChars} characters`),
    );
  return name;
}

const words = ['append_all', 'replace_latest'] as const;
const byField = ['upsert_by', 'replace_latest_by'] as const;

/** @throws TactusError lua_error where it is none */
function readReducer(L: LuaState, name: string): { reducer: Reducer | null; body: number | null } {
  if (lua.lua_isnoneornil(L, 2)) return { reducer: null, body: null };
  lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
  const body = functionAt(L, 2, 'reducer');
  if (body !== null) {
    if (name === planSlice) throw planReducer();
    return { reducer: { kind: 'function' }, body };
  }
  const given = jsonAt(L, 2, 'reducer');
  if (given === null) {
    const options = toJson(L, 2);
    if (isEmptyList(options)) return { reducer: null, body: null };
    throw new TactusError(
      'lua_error',
      `Session.slice: ${name} has no ${isObject(options) ? Object.keys(options).join(', ') : 'list'}: it has reducer`,
    );
  }
  const reducer = reducerOf(given);
  if (reducer === null)
    throw new TactusError(
      'lua_error',
      `Session.slice: reducer of ${name} must be "append_all", "replace_latest", {"upsert_by", "id"}, {"replace_latest_by", "id"} or a function, got ${JSON.stringify(given)}`,
    );
  if (name === planSlice && reducer.kind !== 'replace_latest') throw planReducer();
  return { reducer, body: null };
}

function planReducer(): TactusError {
  return new TactusError('lua_error', 'Session.slice: Plan has the reducer "replace_latest", and no other');
}

function reducerOf(given: JsonValue): Reducer | null {
  const word = words.find((each) => each === given);
  if (word !== undefined) return { kind: word };
  if (!Array.isArray(given) || given.length !== 2) return null;
  const [kind, field] = given;
  const keyed = byField.find((each) => each === kind);
  return keyed === undefined || typeof field !== 'string' || field === '' ? null : { kind: keyed, field };
}
