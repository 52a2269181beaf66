import { TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import {
  GlobalFunctions,
  handleAt,
  lauxlib,
  literal,
  lua,
  PerRun,
  pushHandle,
  pushJson,
  toJson,
  weigh,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import { History } from './module-declaration.js';

/** Bytes that a message takes beside its text. */
const messageBytes = 300;

/**
 * `h = History()`, `History({{role = "user", content = "…"}})`; `h.add{…}`, `h.get()`, `h.clear()`, and the same with a
 * colon: what was said before, as an input of a module.
 */
export function openHistory(bridge: Bridge): void {
  functions.open(bridge);
}

function add({ meter }: Bridge, history: History, message: JsonValue): void {
  history.add(message);
  meter.keep(messageBytes + 2 * jsonSize(message));
}

export const historyType = new PerRun((bridge): HandleType => {
  const type: HandleType = { name: 'History', index: () => 0 };
  const methods: Record<string, (thread: LuaState, history: History) => number> = {
    add: (thread, history) => {
      bridge.scheduler.notes.guard(thread, () => add(bridge, history, toJson(thread, 1)));
      return 0;
    },
    get: (thread, history) => {
      weigh(thread, history.length);
      pushJson(thread, history.last(countAt(thread, 1), countAt(thread, 2)));
      return 1;
    },
    clear: (_, history) => {
      history.clear();
      return 0;
    },
    truncate: (thread, history) => {
      weigh(thread, history.length);
      history.truncate(countAt(thread, 1) ?? lauxlib.luaL_argerror(thread, 1, literal('a number expected')));
      return 0;
    },
    count_tokens: (thread, history) => {
      weigh(thread, history.length);
      lua.lua_pushinteger(thread, history.countTokens());
      return 1;
    },
    to_dspy: (thread, history) => {
      pushHandle(thread, type, history);
      return 1;
    },
  };
  type.index = (thread, held, key) => {
    const method = Object.hasOwn(methods, key) ? methods[key] : undefined;
    if (method === undefined) return 0;
    const call: CFunction = (caller) => {
      // `h:add(…)` gives the history itself first.
      if (handleAt(caller, 1, type) === held) lua.lua_remove(caller, 1);
      return method(caller, held as History);
    };
    lua.lua_pushcfunction(thread, call);
    return 1;
  };
  return type;
}, 'declared');

const functions = new GlobalFunctions(['History'], (bridge) => ({
  History: (L) => {
    const history = new History();
    bridge.scheduler.notes.guard(L, () => {
      for (const message of messagesIn(toJson(L, 1))) add(bridge, history, message);
    });
    pushHandle(L, historyType.of(bridge), history);
    return 1;
  },
}));

function messagesIn(given: JsonValue): JsonValue[] {
  if (given === null) return [];
  if (Array.isArray(given)) return given;
  throw new TactusError('lua_error', 'History: a list of messages expected');
}

/** null where there is none. */
function countAt(L: LuaState, index: number): number | null {
  return lua.lua_isnoneornil(L, index) ? null : Math.trunc(lauxlib.luaL_checknumber(L, index));
}
