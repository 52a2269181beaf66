import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { setLibrary } from '../vm/handle.js';
import { askBound, askPeople } from './ask-people.js';
import { invalid } from './human-fields.js';
import type { HumanKind } from './human-kind.js';
import { humanKinds } from './human-kinds.js';
import { toNotification } from './notify.js';
import { takePreconditions } from './preconditions.js';
import { readAsk } from './read-ask.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { Native } from '../scheduler/native.js';
import { lauxlib, literal, lua, toText, type CFunction, type LuaState } from '../vm/fengari.js';

/** What `Hitl("key", {…})` has declared: fields for the calls that name the key. */
type Declared = Record<string, JsonObject>;

/** `Human.approve`, `Human.select` and their like: ask a person and wait, for three weeks if need be. */
export function openHuman(bridge: Bridge): void {
  const declared: Declared = {};
  const calls = Object.entries(humanKinds).map(([call, kind]) => [
    call,
    native(bridge, ask(bridge, declared, call, kind)),
  ]);
  setLibrary(bridge.L, 'Human', {
    ...(Object.fromEntries(calls) as Record<string, CFunction>),
    notify: notify(bridge, declared),
  });
  for (const name of ['Hitl', 'hitl']) {
    lua.lua_pushcfunction(bridge.L, declare(bridge, declared));
    lua.lua_setglobal(bridge.L, literal(name));
  }
}

function ask(bridge: Bridge, declared: Declared, call: string, kind: HumanKind): Native {
  return function* (L) {
    const isBound = bridge.holds('request-fields') && takePreconditions(bridge, L);
    const fields = withDeclared(declared, call, fieldsAt(L));
    const value = yield* isBound
      ? askBound(bridge, L, call, kind, (preconditions) =>
          readAsk(bridge.holds, call, kind, { ...fields, preconditions }),
        )
      : askPeople(kind, readAsk(bridge.holds, call, kind, fields));
    if (kind === humanKinds.escalate) return 0;
    pushJson(L, value);
    return 1;
  };
}

/** The one argument of a human request: a message, a list of questions, or a table with `message` (or `prompt`) and more. */
function fieldsAt(L: LuaState): JsonObject {
  const given: JsonValue = lua.lua_gettop(L) === 0 ? null : toJson(L, 1);
  if (typeof given === 'string') return { message: given };
  if (Array.isArray(given) && given.length > 0) return { items: given };
  return isObject(given) ? given : {};
}

/** What the call says goes before what was declared under its `config_key`. */
function withDeclared(declared: Declared, call: string, fields: JsonObject): JsonObject {
  const { config_key: key = null, ...own } = fields;
  if (key === null) return fields;
  const found = typeof key === 'string' ? getOwn(declared, key) : undefined;
  if (found === undefined)
    throw invalid(call, `names the config_key ${JSON.stringify(key)}, which no Hitl declares`);
  return { ...found, ...own };
}

function notify({ show, scheduler }: Bridge, declared: Declared): CFunction {
  return (L) => {
    show(
      scheduler.notes.guard(L, () => toNotification('notify', withDeclared(declared, 'notify', fieldsAt(L)))),
    );
    return 0;
  };
}

function declare({ scheduler, meter }: Bridge, declared: Declared): CFunction {
  const declarationBytes = 1_000;
  return (L) => {
    const key = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('a name expected'));
    const fields = scheduler.notes.guard(L, () => toJson(L, 2));
    if (!isObject(fields)) return lauxlib.luaL_argerror(L, 2, literal('a table of fields expected'));
    meter.keep(declarationBytes);
    // Its type says which call it is meant for, and is nobody's answer.
    const { type: _type, ...rest } = fields;
    setOwn(declared, key, rest);
    return 0;
  };
}
