import type { Budget } from '../../contract/budgets/budget.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { readBudget } from '../../contract/budgets/read-budget.js';
import { affordRun } from '../budgets/afford-run.js';
import { isNamed } from '../budgets/is-recorded.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import { toJson } from '../values/marshal.js';
import { lauxlib, literal, lua, toText, type LuaState } from '../vm/fengari.js';

/** Another file that is to run, as `Procedure.run(file, input, {budget = …})` names it. */
export interface AskedChild {
  file: string;
  input: JsonValue;
  /** As it was written. */
  budget: JsonValue;
  /** What the author called. */
  call: string;
  type: 'procedure_call' | 'procedure_spawn';
}

export function childAt(L: LuaState, call: string, type: AskedChild['type']): AskedChild {
  const file = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('a file name expected'));
  const input: JsonValue = lua.lua_isnoneornil(L, 2) ? {} : toJson(L, 2);
  const options = lua.lua_isnoneornil(L, 3) ? {} : toJson(L, 3);
  return { file, input, call, type, budget: isObject(options) ? (options['budget'] ?? null) : null };
}

/**
 * What the run may use, as it says or as is left.
 * @throws TactusError lua_error, budget_exhausted
 */
export function* affordChild(
  bridge: Bridge,
  L: LuaState,
  { file, call, type, budget: given }: AskedChild,
): Generator<Step, { budget?: Budget }, unknown> {
  if (!bridge.holds('budgets')) return {};
  const own = given === null ? null : readBudget(given, `${call}: budget`, 'lua_error');
  return yield* affordRun(bridge, L, {
    what: `${call} of ${file}`,
    own,
    isRecorded: isNamed({ type, name: file }),
  });
}
