import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { toJson } from './marshal.js';
import { lauxlib, lua, pushField, toText, type LuaState } from '../vm/fengari.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import type { RetryPolicy } from '../../contract/retries/retry-policy.js';
import { readDuration } from '../../contract/time/duration.js';

/** Reads fields of the table that a constructor is given. Functions and handles are read by those who expect them. */

export function jsonAt(L: LuaState, config: number, name: string): JsonValue {
  const type = pushField(L, config, name);
  const value = type === lua.LUA_TFUNCTION || type === lua.LUA_TUSERDATA ? null : toJson(L, -1);
  lua.lua_pop(L, 1);
  return value;
}

export function textAt(L: LuaState, config: number, name: string): string | null {
  const text = pushField(L, config, name) === lua.LUA_TSTRING ? toText(L, -1) : null;
  lua.lua_pop(L, 1);
  return text;
}

export function hasField(L: LuaState, config: number, name: string): boolean {
  const type = pushField(L, config, name);
  lua.lua_pop(L, 1);
  return type !== lua.LUA_TNIL;
}

/** A registry reference to the function in a field, or null. */
export function functionAt(L: LuaState, config: number, name: string): number | null {
  if (pushField(L, config, name) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  lua.lua_pop(L, 1);
  return null;
}

/** A registry reference to the first function among the table's items, or null. */
export function functionItem(L: LuaState, config: number): number | null {
  for (let i = 1; lua.lua_rawgeti(L, config, i) !== lua.LUA_TNIL; i++) {
    if (lua.lua_type(L, -1) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
  return null;
}

/** Lists of names: `include = {"a", "b"}`. */
export function textsOf(value: JsonValue | undefined): string[] | null {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
}

const mostAttempts = 100;
/** `jitter` is taken, and follows from nothing: attempts of a run are too few to fall together. */
const keys = ['attempts', 'retries', 'enabled', 'delay', 'delay_seconds', 'max_delay_seconds', 'backoff'];
const known = [...keys, 'jitter', 'on'];
/** Of agents, models and tools, in runs that know it. */
const totalKey = 'total_seconds';
const kinds: Readonly<Record<string, RetryPolicy['on']>> = {
  infra_only: 'infra',
  validation_only: 'validation',
  infra_plus_validation: undefined,
};

/**
 * Reads `retries = 2`, and `retry = {attempts=, delay_seconds=, …}` as the reference has it; null where neither is there.
 * @param isTimed whether it may say a time in all
 * @throws TactusError with the given code
 */
export function readRetry(
  { retries, retry }: { retries?: JsonValue; retry?: JsonValue },
  what: string,
  code: ErrorCode,
  isTimed = false,
): RetryPolicy | null {
  const count = readCount(retries ?? null, `${what}: retries`, 0, code);
  const again: RetryPolicy = count === null ? {} : { attempts: count + 1 };
  if ((retry ?? null) === null) return count === null ? null : again;
  if (!isObject(retry ?? null))
    throw new TactusError(code, `${what}: retry must be a table such as { attempts = 3, delay_seconds = 2 }`);
  return { ...again, ...readTable(retry as JsonObject, `${what}: retry`, code, isTimed) };
}

function readTable(table: JsonObject, what: string, code: ErrorCode, isTimed: boolean): RetryPolicy {
  const fields = isTimed ? [...known, totalKey] : known;
  const odd = Object.keys(table).find((key) => !fields.includes(key));
  if (odd !== undefined)
    throw new TactusError(code, `${what} has the unknown field ${odd}; there are ${fields.join(', ')}`);
  const { enabled = null, backoff = null, on = null } = table;
  const policy: RetryPolicy = {};
  const attempts = readCount(table['attempts'] ?? null, `${what}.attempts`, 1, code);
  const retries = readCount(table['retries'] ?? null, `${what}.retries`, 0, code);
  if (attempts !== null || retries !== null) policy.attempts = attempts ?? Number(retries) + 1;
  if (enabled === false) policy.attempts = 1;
  const delayMs = readDelay(table['delay_seconds'] ?? table['delay'] ?? null, `${what}.delay_seconds`, code);
  if (delayMs !== null) policy.delayMs = delayMs;
  const longestMs = readDelay(table['max_delay_seconds'] ?? null, `${what}.max_delay_seconds`, code);
  if (longestMs !== null) policy.longestDelayMs = longestMs;
  const totalMs = readDelay(table[totalKey] ?? null, `${what}.${totalKey}`, code);
  if (totalMs !== null) policy.timeMs = totalMs;
  if (backoff !== null) {
    if (backoff !== 'constant' && backoff !== 'exponential')
      throw new TactusError(code, `${what}.backoff must be "constant" or "exponential"`);
    policy.backoff = backoff;
  }
  if (on !== null) {
    if (typeof on !== 'string' || !Object.hasOwn(kinds, on))
      throw new TactusError(code, `${what}.on must be one of ${Object.keys(kinds).join(', ')}`);
    const kind = kinds[on];
    if (kind !== undefined) policy.on = kind;
  }
  return policy;
}

function readCount(value: JsonValue, what: string, least: number, code: ErrorCode): number | null {
  if (value === null) return null;
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= mostAttempts)
    return Number(value);
  throw new TactusError(
    code,
    `${what} must be an integer from ${least} to ${mostAttempts}, got ${JSON.stringify(value)}`,
  );
}

/** 0 stands for as soon as may be. */
function readDelay(value: JsonValue, what: string, code: ErrorCode): number | null {
  return value === null ? null : Math.max(1, readDuration(value, what, code));
}
