import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { budgetOf } from '../budgets/run-budgets.js';
import { lua, toJson, type Bridge, type LuaState } from '../kernel/index.js';
import type { BranchOptions } from './branches.js';

const keys = ['concurrency', 'batch', 'budget'];

/**
 * Reads `{concurrency = n, batch = true, budget = {…}}`.
 * @param count how many branches there are: as many run at a time where nothing else is said
 * @param what who takes them, for messages
 * @throws TactusError lua_error naming what is wrong
 */
export function readBranchOptions(
  bridge: Bridge,
  L: LuaState,
  index: number,
  count: number,
  what: string,
): Pick<BranchOptions, 'concurrency' | 'isBatched' | 'budget'> {
  const given: JsonValue = lua.lua_isnoneornil(L, index) ? {} : toJson(L, index);
  const isEmpty = Array.isArray(given) && given.length === 0;
  if (!isObject(given) && !isEmpty)
    throw new TactusError('lua_error', `${what}: its options are a table such as { concurrency = 2 }`);
  const options = isObject(given) ? given : {};
  const odd = Object.keys(options).find((key) => !keys.includes(key));
  if (odd !== undefined)
    throw new TactusError('lua_error', `${what} has no option ${odd}: it has ${keys.join(', ')}`);
  const { concurrency = count, batch = false, budget } = options;
  if (!Number.isInteger(concurrency) || Number(concurrency) < Math.min(1, count))
    throw new TactusError('lua_error', `${what}: concurrency must be an integer of at least 1`);
  if (typeof batch !== 'boolean') throw new TactusError('lua_error', `${what}: batch must be true or false`);
  return {
    concurrency: Number(concurrency),
    isBatched: batch,
    budget: budgetOf(bridge, budget, what, 'lua_error'),
  };
}
