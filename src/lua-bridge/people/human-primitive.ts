import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  GlobalFunctions,
  lauxlib,
  Library,
  literal,
  lua,
  native,
  PerRun,
  pushField,
  pushJson,
  setField,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { invalid, type HumanKind } from './human-fields.js';
import { humanKinds } from './human-kinds.js';
import { readAsk, toNotification } from './read-ask.js';
import type { HumanAnswer, HumanAsk, HumanRequestKind } from '../../contract/people/human-request.js';
import { TactusError } from '../../contract/errors.js';
import { digestOf } from '../../contract/effects/digest.js';

const name = 'preconditions';

/** Where the function lies on the stack of the call, once it is taken. */
const taken = 2;

/**
 * Takes `preconditions = function` out of the table of a call: the table is replaced by a copy without it, for functions don't
 * cross, and the author's stays as it is. Gives whether there is one.
 */
function takePreconditions({ meter }: Bridge, L: LuaState): boolean {
  if (lua.lua_type(L, 1) !== lua.LUA_TTABLE) return false;
  lua.lua_settop(L, 1);
  if (pushField(L, 1, name) !== lua.LUA_TFUNCTION) {
    lua.lua_settop(L, 1);
    return false;
  }
  lua.lua_createtable(L, 0, 0);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, 1) !== 0) {
    meter.charge(1);
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, taken + 1);
  }
  lua.lua_pushnil(L);
  setField(L, taken + 1, name);
  lua.lua_replace(L, 1);
  return true;
}

/** What the decision is bound to, as it is now. */
function* askPreconditions({ limits }: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  lua.lua_settop(L, taken);
  lua.lua_pushvalue(L, taken);
  yield { call: 0, results: 1 };
  const value = toJson(L, -1, limits.depth);
  lua.lua_settop(L, taken);
  return value;
}

/** A no is one whatever has changed; and where nobody has answered, nothing was decided. */
function leadsOn(kind: HumanRequestKind, { value }: HumanAnswer): boolean {
  return kind === 'approval' ? value === true : value !== null;
}

function isChanged(before: JsonValue, now: JsonValue): boolean {
  return digestOf(before) !== digestOf(now);
}

/** So often people are asked anew, each time by an answer of theirs. */
const mostTimes = 100;

/** Asks, and gives what the procedure gets. */
export function* askPeople(kind: HumanKind, ask: HumanAsk): Generator<Step, JsonValue, unknown> {
  return answerOf(ask, yield* answerTo(kind, ask));
}

/**
 * Asks, and asks anew for as long as what the decision is bound to has changed when the answer is there. The function that
 * says what that is lies where `takePreconditions` has put it.
 * @throws TactusError human_request_invalid where that goes on and on
 */
function* askBound(
  bridge: Bridge,
  L: LuaState,
  call: string,
  kind: HumanKind,
  askWith: (preconditions: JsonValue) => HumanAsk,
): Generator<Step, JsonValue, unknown> {
  let preconditions = yield* askPreconditions(bridge, L);
  let before: { before?: JsonValue } = {};
  for (let times = 0; times < mostTimes; times++) {
    const ask = { ...askWith(preconditions), ...before };
    const answer = yield* answerTo(kind, ask);
    const value = answerOf(ask, answer);
    if (!leadsOn(kind.kind, answer)) return value;
    const now = yield* askPreconditions(bridge, L);
    if (!isChanged(preconditions, now)) return value;
    before = { before: preconditions };
    preconditions = now;
  }
  throw invalid(call, `was answered ${mostTimes} times, and each time its preconditions had changed`);
}

function* answerTo({ type }: HumanKind, ask: HumanAsk): Generator<Step, HumanAnswer, unknown> {
  return (yield { effect: { type, name: ask.message, effect: { kind: 'human', ask } } }) as HumanAnswer;
}

/**
 * What the procedure gets of an answer.
 * @throws TactusError request_withdrawn, wait_timed_out
 */
function answerOf({ message, policy }: HumanAsk, answer: HumanAnswer): JsonValue {
  const { value, timed_out: isLate, withdrawn, by, comment } = answer;
  if (withdrawn === true) {
    const why = comment === null || comment === '' ? '' : `: ${comment}`;
    throw new TactusError('request_withdrawn', `${message}: ${by ?? 'somebody'} took the request back${why}`);
  }
  if (isLate && policy?.onTimeout === 'error')
    throw new TactusError('wait_timed_out', `${message}: nobody decided in time`);
  return value;
}

/** What `Hitl("key", {…})` has declared: fields for the calls that name the key. */
type Declared = Record<string, JsonObject>;

const declared = new PerRun((): Declared => ({}), 'declared');

/** `Human.approve`, `Human.select` and their like: ask a person and wait, for three weeks if need be. */
export function openHuman(bridge: Bridge): void {
  human.open(bridge);
  functions.open(bridge);
}

const human = new Library('Human', (bridge) => {
  const fields = declared.of(bridge);
  const calls = Object.entries(humanKinds).map(([call, kind]): [string, CFunction] => [
    call,
    native(bridge, ask(bridge, fields, call, kind)),
  ]);
  return { ...Object.fromEntries(calls), notify: notify(bridge, fields) };
});

const functions = new GlobalFunctions(['Hitl', 'hitl'], (bridge) => {
  const note = declare(bridge, declared.of(bridge));
  return { Hitl: note, hitl: note };
});

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
