import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { readDuration } from '../../contract/time/duration.js';
import { readDeadline, type Deadline } from '../budgets/deadline.js';
import { hasField, jsonAt, lauxlib, lua, toText, type Bridge, type LuaState } from '../kernel/index.js';
import { readOnFailure } from './ask-failure.js';
import type { FailureQuestion } from '../../contract/people/failure-question.js';

/** How a step tries again what has failed. */
export interface StepAttempts {
  /** After the first. */
  retries: number;
  /** Wait before the second attempt, in ms. */
  delayMs: number;
  /** Longest wait between two attempts, in ms. */
  longestDelayMs: number;
  /** Each wait is so many times as long as the one before. */
  factor: number;
  /** For one attempt, in ms; null: as long as it takes. */
  timeoutMs: number | null;
}

export interface StepOptions {
  isWhole: boolean;
  /** null: the body is called once, and its checkpoints are those of the step. */
  attempts: StepAttempts | null;
  /** When it is given up; null: never. */
  deadline: Deadline | null;
  /** Who is asked when it fails; null, false: nobody. */
  question: FailureQuestion | false | null;
}

const keys = ['whole', 'retries', 'backoff', 'timeout', 'on_error', 'deadline', 'on_failure'];
const backoffKeys = ['initial_delay', 'max_delay', 'backoff_factor'];
const mostRetries = 100;
const largestFactor = 100;

/**
 * Reads `{whole = true, retries = 3, backoff = "2s", timeout = "1m", deadline = "1h", on_error = …}`. What `on_error` is stays with the table.
 * @throws TactusError lua_error naming what is wrong
 */
export function readStepOptions(bridge: Bridge, L: LuaState, index: number, name: string): StepOptions {
  if (lua.lua_isnoneornil(L, index))
    return { isWhole: false, attempts: null, deadline: null, question: null };
  lauxlib.luaL_checktype(L, index, lua.LUA_TTABLE);
  const odd = oddKey(L, index);
  if (odd !== null) throw wrong(name, `has no option ${odd}: it has ${keys.join(', ')}`);
  const isWhole = jsonAt(L, index, 'whole') ?? false;
  if (typeof isWhole !== 'boolean') throw wrong(name, 'whole must be true or false');
  const deadline = readDeadline(jsonAt(L, index, 'deadline'), `step '${name}': deadline`, 'lua_error');
  const question = readOnFailure(bridge, jsonAt(L, index, 'on_failure'), `step '${name}'`, 'lua_error');
  return { isWhole, attempts: readAttempts(L, index, name), deadline, question };
}

function readAttempts(L: LuaState, index: number, name: string): StepAttempts | null {
  const retries = jsonAt(L, index, 'retries');
  const backoff = jsonAt(L, index, 'backoff');
  const timeout = jsonAt(L, index, 'timeout');
  if (
    retries !== null &&
    !(Number.isInteger(retries) && Number(retries) >= 0 && Number(retries) <= mostRetries)
  )
    throw wrong(name, `retries must be an integer from 0 to ${mostRetries}, got ${JSON.stringify(retries)}`);
  if (backoff !== null && retries === null) throw wrong(name, 'backoff needs retries');
  const what = (key: string): string => `step '${name}': ${key}`;
  const timeoutMs = timeout === null ? null : readDuration(timeout, what('timeout'), 'lua_error');
  if (timeoutMs === 0) throw wrong(name, 'timeout must be more than 0');
  if (retries === null && timeoutMs === null && !hasField(L, index, 'on_error')) return null;
  return { retries: Number(retries ?? 0), timeoutMs, ...readBackoff(backoff, name) };
}

/** A wait before the second attempt, which grows, or `{initial_delay = 1, max_delay = 60, backoff_factor = 2}`. */
function readBackoff(
  given: JsonValue,
  name: string,
): Pick<StepAttempts, 'delayMs' | 'longestDelayMs' | 'factor'> {
  const table: Record<string, JsonValue> = isObject(given) ? given : { initial_delay: given };
  const odd = Object.keys(table).find((key) => !backoffKeys.includes(key));
  if (odd !== undefined) throw wrong(name, `backoff has no field ${odd}: it has ${backoffKeys.join(', ')}`);
  const timeOf = (key: string, fallback: number): number =>
    readDuration(table[key] ?? fallback, `step '${name}': backoff.${key}`, 'lua_error');
  const factor = table['backoff_factor'] ?? 2;
  if (typeof factor !== 'number' || !(factor >= 1 && factor <= largestFactor))
    throw wrong(name, `backoff.backoff_factor must be a number from 1 to ${largestFactor}`);
  const delayMs = timeOf('initial_delay', 1);
  return { delayMs, longestDelayMs: Math.max(delayMs, timeOf('max_delay', 60)), factor };
}

function oddKey(L: LuaState, index: number): string | null {
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index)) {
    const key = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    lua.lua_pop(L, 1);
    if (key !== null && keys.includes(key)) continue;
    lua.lua_pop(L, 1);
    return key ?? 'without a name';
  }
  return null;
}

function wrong(name: string, problem: string): TactusError {
  return new TactusError('lua_error', `step '${name}' ${problem}`);
}
