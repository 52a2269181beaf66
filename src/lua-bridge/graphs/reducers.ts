import { TactusError } from '../../contract/errors.js';
import { getOwn, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  definedAt,
  LuaRaised,
  lauxlib,
  literal,
  lua,
  PerRun,
  pushJson,
  pushResult,
  toJson,
  type Bridge,
  type CFunction,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import type { ToolDeclaration } from '../tools/tool-declaration.js';
import { askTool } from './tool-parts.js';

/** How what is written to a channel becomes its value. */
export type Reducer =
  | { kind: 'last' }
  /** `most`: so many of the newest are kept; null: all. */
  | { kind: 'append'; most: number | null }
  /** `body`: registry reference of `function(current, update)`. */
  | { kind: 'lua'; body: number }
  /** A worker has it: it is asked once for each super-step that writes to the channel, with all updates in their order. */
  | { kind: 'tool'; tool: ToolDeclaration };

/** Those that need nobody else. */
type PlainReducer = Extract<Reducer, { kind: 'last' | 'append' }>;

/** Those that `Graph` has, by the Lua functions that stand for them. */
export const reducers = new PerRun(() => new Map<unknown, Reducer>(), 'declared');

/** `Graph.append`, `Graph.last` and `Graph.bounded`: functions of a value and an update, as reducers of an author's are. */
export function reducerFunctions(bridge: Bridge): Record<string, CFunction> {
  const make = (reducer: PlainReducer, name: string): CFunction => {
    const reduce: CFunction = (L) => {
      lauxlib.luaL_checkany(L, 2);
      return bridge.scheduler.notes.guard(L, () =>
        pushResult(L, reduced(reducer, toJson(L, 1), toJson(L, 2), name)),
      );
    };
    reducers.of(bridge).set(reduce, reducer);
    return reduce;
  };
  return {
    append: make({ kind: 'append', most: null }, 'Graph.append'),
    last: make({ kind: 'last' }, 'Graph.last'),
    bounded: (L) => {
      const most = lauxlib.luaL_checkinteger(L, 1);
      if (most < 1) lauxlib.luaL_argerror(L, 1, literal('1 or more expected'));
      bridge.meter.keep(reducerBytes);
      lua.lua_pushcfunction(L, make({ kind: 'append', most }, `Graph.bounded(${most})`));
      return 1;
    },
  };
}

const reducerBytes = 500;

function reduced(reducer: PlainReducer, current: JsonValue, update: JsonValue, what: string): JsonValue {
  if (reducer.kind === 'last') return update;
  const list = [...listOf(current, what, 'holds'), ...listOf(update, what, 'takes')];
  return reducer.most === null ? list : list.slice(-reducer.most);
}

function listOf(value: JsonValue, what: string, verb: string): JsonValue[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw new TactusError(
    'lua_error',
    `${what} ${verb} lists, got ${JSON.stringify(value).slice(0, 100)}; write { value } for one value`,
  );
}

/** Where a reducer works, for its errors. */
interface Place {
  graph: string;
  channels: ReadonlyMap<string, Reducer>;
}

/**
 * The values after writes, each through the reducer of its channel once, in their order.
 * @throws TactusError lua_error, not_yieldable
 */
export function* reduceAll(
  bridge: Bridge,
  L: LuaState,
  { graph, channels }: Place,
  values: JsonObject,
  writes: readonly JsonObject[],
): Generator<Step, JsonObject, unknown> {
  const after = { ...values };
  const asked = new Map<string, JsonValue[]>();
  for (const each of writes)
    for (const [channel, update] of Object.entries(each)) {
      const reducer = channels.get(channel) ?? { kind: 'last' };
      if (reducer.kind === 'tool') {
        asked.set(channel, [...(asked.get(channel) ?? []), update]);
        continue;
      }
      const current = getOwn(after, channel) ?? null;
      const what = `graph ${graph}: channel ${channel}`;
      if (Array.isArray(current)) bridge.meter.charge(current.length);
      setOwn(
        after,
        channel,
        reducer.kind === 'lua'
          ? yield* callReducer(bridge, L, reducer.body, [current, update], what)
          : reduced(reducer, current, update, what),
      );
    }
  for (const [channel, updates] of asked) {
    const reducer = channels.get(channel);
    const current = getOwn(after, channel) ?? null;
    if (reducer?.kind === 'tool')
      setOwn(after, channel, yield* askTool(bridge, L, reducer.tool, { current, updates }));
  }
  return after;
}

function* callReducer(
  bridge: Bridge,
  L: LuaState,
  body: number,
  values: [JsonValue, JsonValue],
  what: string,
): Generator<Step, JsonValue, unknown> {
  lua.lua_checkstack(L, 4);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
  for (const value of values) pushJson(L, value);
  // A reducer only computes: nothing in it may wait.
  const { blocked } = L;
  L.blocked = true;
  try {
    yield { call: 2, results: 1 };
  } catch (error) {
    if (error instanceof LuaRaised && bridge.scheduler.notes.codeOf(L) === 'not_yieldable')
      throw new TactusError(
        'not_yieldable',
        `${what}: its reducer asks for something that takes time. A reducer only computes: ask in a node, and write the answer`,
      );
    throw error;
  } finally {
    L.blocked = blocked;
  }
  const value = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  if (value !== null) return value;
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
  throw new TactusError(
    'lua_error',
    `${what}: its reducer returned nothing; it returns the new value of the channel`,
    definedAt(L),
  );
}
