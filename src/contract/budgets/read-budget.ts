import { budgetEnds, budgetMeasures, measureNames, type Budget, type BudgetMeasure } from './budget.js';
import { readDuration } from '../time/duration.js';
import { TactusError, type ErrorCode } from '../errors.js';
import { isObject, type JsonValue } from '../json/json.js';

const otherFields = ['on_exhausted', 'approvers'];
const fields = [...budgetMeasures.map((measure) => measureNames[measure]), ...otherFields];

/**
 * Reads `{tokens = 50000, cost = 2.5, turns = 20, tool_calls = 50, time = "30m", on_exhausted = "ask", approvers = {…}}`.
 * @param where what stands before the problem in the error: `Agent "writer": budget`
 * @throws TactusError of that code naming the field
 */
export function readBudget(given: JsonValue, where: string, code: ErrorCode): Budget {
  const wrong = (problem: string): TactusError => new TactusError(code, `${where} ${problem}`);
  if (!isObject(given)) throw wrong(`must be a table of ${fields.join(', ')}`);
  const unknown = Object.keys(given).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw wrong(`has the unknown field ${unknown}; there are ${fields.join(', ')}`);
  const budget: Budget = {};
  for (const measure of budgetMeasures) {
    const name = measureNames[measure];
    const amount = given[name] ?? null;
    if (amount !== null) budget[measure] = readAmount(amount, measure, `${where}.${name}`, code);
  }
  if (Object.keys(budget).length === 0) throw wrong('bounds nothing: write tokens = 50000, or cost = 2.5');
  const end = given['on_exhausted'] ?? null;
  const known = budgetEnds.find((each) => each === end);
  if (end !== null && known === undefined)
    throw wrong(`: on_exhausted must be one of ${budgetEnds.join(', ')}, got ${JSON.stringify(end)}`);
  if (known !== undefined) budget.onExhausted = known;
  const approvers = given['approvers'] ?? null;
  if (approvers !== null) {
    const names = [approvers].flat();
    if (!names.every((name): name is string => typeof name === 'string' && name !== ''))
      throw wrong(': approvers must be a list of names');
    budget.approvers = names;
  }
  return budget;
}

function readAmount(given: JsonValue, measure: BudgetMeasure, where: string, code: ErrorCode): number {
  if (measure === 'timeMs') return readDuration(given, where, code);
  const isWhole = measure !== 'costUsd';
  if (typeof given === 'number' && given >= 0 && (!isWhole || Number.isInteger(given))) return given;
  const wanted = isWhole ? 'a whole number' : 'an amount of US dollars';
  throw new TactusError(code, `${where} must be ${wanted}, got ${JSON.stringify(given)}`);
}
