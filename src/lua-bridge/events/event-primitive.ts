import { digestOf } from '../../contract/effects/digest.js';
import type { EventAnswer } from '../../contract/events/event-effect.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { recorded } from '../checkpoints/checkpointed.js';
import {
  checkValue,
  lauxlib,
  Library,
  literal,
  lua,
  native,
  pushJson,
  pushText,
  readSchema,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type Native,
  type Schema,
  type Step,
} from '../kernel/index.js';
import { mocks } from '../mocks/mocks.js';
import { readDuration } from '../../contract/time/duration.js';

interface Wanted {
  name: string;
  timeoutMs: number | null;
  match: JsonObject | null;
  schema: Schema | null;
}

/** `Event.wait(name, {timeout =, match =, schema =})`: what others send to the run. */
export function openEvent(bridge: Bridge): void {
  event.open(bridge);
}

const event = new Library('Event', (bridge) => ({ wait: native(bridge, wait(bridge)) }));

function wait(bridge: Bridge): Native {
  return function* (L) {
    const wanted = readWanted(L);
    const answer = yield* answerTo(bridge, L, wanted);
    if ('timed_out' in answer) {
      lua.lua_pushnil(L);
      pushText(L, 'timed_out');
      return 2;
    }
    pushJson(L, wanted.schema === null ? answer.value : checked(wanted.name, wanted.schema, answer.value));
    return 1;
  };
}

/** Waits, or asks the mock of the event's name. */
function* answerTo(
  bridge: Bridge,
  L: LuaState,
  { name, match, timeoutMs }: Wanted,
): Generator<Step, EventAnswer, unknown> {
  const mocked = mocks.of(bridge).result(name, match ?? {}, 'input_invalid');
  if (mocked === null) {
    const effect = { kind: 'event', name, match, timeoutMs } as const;
    return (yield { effect: { type: 'event_wait', name, effect } }) as EventAnswer;
  }
  const input = { event: name, ...(match === null ? {} : { match }) };
  const spec = { type: 'event_wait', name, input, digest: digestOf(input) } as const;
  return { value: yield* recorded(bridge, L, spec, () => mocked.value) };
}

/** @throws TactusError input_invalid where the value isn't what the procedure wants */
function checked(name: string, schema: Schema, value: JsonValue): JsonValue {
  try {
    return checkValue(schema, value, { code: 'input_invalid', unknown: 'keep', requireAll: true });
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    throw new TactusError(error.code, `Event.wait: what came as ${JSON.stringify(name)}: ${error.message}`);
  }
}

const keys = ['timeout', 'match', 'schema'];

/** @throws TactusError lua_error, source_invalid naming what is wrong */
function readWanted(L: LuaState): Wanted {
  const name = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
  if (name === null || name === '') lauxlib.luaL_argerror(L, 1, literal('the name of an event expected'));
  const given = lua.lua_isnoneornil(L, 2) ? {} : toJson(L, 2);
  const options = Array.isArray(given) && given.length === 0 ? {} : given;
  if (!isObject(options)) throw eventError('takes a table of timeout, match and schema');
  const stranger = Object.keys(options).find((key) => !keys.includes(key));
  if (stranger !== undefined) throw eventError(`has no ${stranger}: it has timeout, match and schema`);
  const { timeout = null, match = null, schema = null } = options;
  if (match !== null && !isObject(match))
    throw eventError('needs match as a table of fields, such as {order = "A-7"}');
  return {
    name,
    timeoutMs: timeout === null ? null : readDuration(timeout, 'Event.wait: timeout', 'lua_error'),
    match,
    schema: schema === null ? null : readSchema(schema, 'the schema of Event.wait'),
  };
}

function eventError(problem: string): TactusError {
  return new TactusError('lua_error', `Event.wait ${problem}`);
}
