import type { HumanAsk } from '../../contract/human-request.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { setLibrary } from '../vm/handle.js';
import { askBound, askPeople } from '../people/ask-people.js';
import { approve } from '../people/approve.js';
import { custom } from '../people/custom.js';
import { assertDefaultFits } from '../people/default-fits.js';
import { escalate } from '../people/escalate.js';
import { invalid, readMessage, readMetadata, readNames, readTimeout } from '../people/human-fields.js';
import type { HumanKind } from '../people/human-kind.js';
import { input } from '../people/input.js';
import { multiple } from '../people/multiple.js';
import { toNotification } from '../people/notify.js';
import { takePreconditions } from '../people/preconditions.js';
import { readHints } from '../people/request-hints.js';
import { readTellPolicy } from '../people/request-channels.js';
import { readPolicy } from '../people/request-policy.js';
import { review } from '../people/review.js';
import { select } from '../people/select.js';
import { upload } from '../people/upload.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { Native } from '../scheduler/native.js';
import { lauxlib, literal, lua, toText, type CFunction, type LuaState } from '../vm/fengari.js';

const asking = {
  ...{ approve, input, review, select, multiple, upload, escalate, custom },
  // The reference's old name.
  inputs: multiple,
} satisfies Record<string, HumanKind>;

/** Kinds that were there before defaults were looked at: what their authors wrote must go on as it did. */
const anyDefault: readonly HumanKind[] = [approve, input, review];

/** What `Hitl("key", {…})` has declared: fields for the calls that name the key. */
type Declared = Record<string, JsonObject>;

/** `Human.approve`, `Human.select` and their like: ask a person and wait, for three weeks if need be. */
export function openHuman(bridge: Bridge): void {
  const declared: Declared = {};
  const calls = Object.entries(asking).map(([call, kind]) => [
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
          readAsk(bridge, call, kind, { ...fields, preconditions }),
        )
      : askPeople(kind, readAsk(bridge, call, kind, fields));
    if (kind === escalate) return 0;
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

/** Runs that began before there were policies: who wants two people must not get one. @throws TactusError human_request_invalid */
function refuseQuorum(call: string, { quorum = null }: JsonObject): void {
  if (quorum !== null && quorum !== 1)
    throw invalid(
      call,
      'has a quorum, which is not kept here: ask once for each person, each with approvers of its own',
    );
}

/** @throws TactusError human_request_invalid naming the field */
function readAsk(
  bridge: Bridge,
  call: string,
  { kind, read, message }: HumanKind,
  fields: JsonObject,
): HumanAsk {
  const isNamed = message === undefined || fields['message'] !== undefined || fields['prompt'] !== undefined;
  const text = isNamed ? readMessage(call, fields) : message(fields);
  const hasPolicy = bridge.holds('request-policy');
  if (!hasPolicy) refuseQuorum(call, fields);
  const timeoutMs = readTimeout(fields);
  const policy = hasPolicy ? readPolicy(call, kind, fields, timeoutMs, bridge.holds) : undefined;
  const { context, options, form, default: byDefault } = read(call, fields, bridge.holds);
  const hasFields = bridge.holds('request-fields');
  const { metadata: own = null } = fields;
  const metadata = readMetadata(call, fields, hasFields && isObject(own) ? own : {});
  const hints = hasFields ? readHints(call, fields) : undefined;
  const tell = bridge.holds('channels') ? readTellPolicy(call, fields) : undefined;
  const request: HumanAsk = {
    kind,
    message: text,
    context,
    options,
    ...(form === undefined ? {} : { form }),
    default: byDefault,
    timeoutMs,
    approvers: readNames(call, fields['approvers'] ?? null),
    ...(metadata === undefined ? {} : { metadata }),
    ...(policy === undefined ? {} : { policy }),
    ...(hints === undefined ? {} : { hints }),
    ...(tell === undefined ? {} : { tell }),
  };
  const isGiven = (fields['default'] ?? fields['default_on_timeout'] ?? null) !== null;
  if (isGiven && !anyDefault.some((each) => each.read === read)) assertDefaultFits(call, request);
  return request;
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
