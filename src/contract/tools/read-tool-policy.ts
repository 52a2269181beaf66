import { readDuration } from '../time/duration.js';
import { TactusError, type ErrorCode } from '../errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../json/json.js';
import {
  policyActions,
  type ArgumentCondition,
  type PolicyAction,
  type ToolPolicy,
  type ToolRule,
} from './tool-policy.js';

const ruleFields = ['tool', 'procedure', 'when', 'action', 'approvers', 'timeout', 'expires', 'remember'];
const bounds = ['above', 'at_least', 'below', 'at_most'];
const conditionFields = ['equals', 'not', 'in', 'matches', ...bounds];
const defaultAction: PolicyAction = 'allow';

/**
 * Reads a policy as configuration has it: `{default, rules}`, or a list of rules.
 * @throws TactusError of this code, naming the field
 */
export function readToolPolicy(given: JsonValue, where: string, code: ErrorCode): ToolPolicy {
  const table = Array.isArray(given) ? { rules: given } : given;
  if (!isObject(table))
    throw new TactusError(code, `${where} must be a list of rules, or a table with rules`);
  refuseOthers(table, ['default', 'rules'], where, code);
  const { default: byDefault = defaultAction, rules = [] } = table;
  if (!Array.isArray(rules)) throw new TactusError(code, `${where}.rules must be a list of rules`);
  return {
    default: readAction(byDefault, `${where}.default`, code),
    rules: rules.map((rule, i) => readToolRule(rule, `${where}: rule ${i + 1}`, code)),
  };
}

/** @throws TactusError of this code, naming the field */
export function readToolRule(given: JsonValue, where: string, code: ErrorCode): ToolRule {
  if (!isObject(given)) throw new TactusError(code, `${where} must be a table with tool and action`);
  refuseOthers(given, ruleFields, where, code);
  const text = (name: string): string => {
    const value = given[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new TactusError(code, `${where}: ${name} must be text, got ${JSON.stringify(value ?? null)}`);
  };
  const has = (name: string): boolean => (given[name] ?? null) !== null;
  const duration = (name: string): number => readDuration(given[name] ?? null, `${where}: ${name}`, code);
  return {
    tool: text('tool'),
    ...(has('procedure') ? { procedure: text('procedure') } : {}),
    ...(has('when') ? { when: readConditions(given['when'] ?? null, `${where}: when`, code) } : {}),
    action: readAction(given['action'] ?? null, `${where}: action`, code),
    ...(has('approvers') ? { approvers: readNames(given['approvers'] ?? null, where, code) } : {}),
    ...(has('timeout') ? { timeoutMs: duration('timeout') } : {}),
    ...(has('expires') ? { expiresMs: duration('expires') } : {}),
    ...(has('remember') ? { remember: readRemember(given['remember'] ?? null, where, code) } : {}),
  };
}

/** What isn't understood might have been meant to forbid something. */
function refuseOthers(table: JsonObject, known: readonly string[], where: string, code: ErrorCode): void {
  const odd = Object.keys(table).find((name) => !known.includes(name));
  if (odd !== undefined)
    throw new TactusError(code, `${where} has the unknown field ${odd}; there are ${known.join(', ')}`);
}

function readAction(given: JsonValue, where: string, code: ErrorCode): PolicyAction {
  const action = policyActions.find((each) => each === given);
  if (action !== undefined) return action;
  throw new TactusError(code, `${where} must be allow, approve or deny, got ${JSON.stringify(given)}`);
}

function readConditions(given: JsonValue, where: string, code: ErrorCode): Record<string, ArgumentCondition> {
  if (!isObject(given)) throw new TactusError(code, `${where} must be a table of arguments`);
  const conditions: Record<string, ArgumentCondition> = {};
  for (const [path, wanted] of Object.entries(given))
    setOwn(conditions, path, readCondition(wanted, `${where}.${path}`, code));
  return conditions;
}

/** A value alone must be the same; a text may have `*` for any characters. */
function readCondition(wanted: JsonValue, where: string, code: ErrorCode): ArgumentCondition {
  if (!isObject(wanted)) return typeof wanted === 'string' ? { matches: wanted } : { equals: wanted };
  refuseOthers(wanted, conditionFields, where, code);
  for (const [name, value] of Object.entries(wanted)) {
    const isRight =
      name === 'in'
        ? Array.isArray(value)
        : name === 'matches'
          ? typeof value === 'string'
          : !bounds.includes(name) || typeof value === 'number';
    if (!isRight) throw new TactusError(code, `${where}.${name} can't be ${JSON.stringify(value)}`);
  }
  return wanted;
}

function readNames(given: JsonValue, where: string, code: ErrorCode): string[] {
  const names = Array.isArray(given) ? given : [given];
  if (names.length > 0 && names.every((name): name is string => typeof name === 'string')) return names;
  throw new TactusError(code, `${where}: approvers must be a list of names`);
}

function readRemember(given: JsonValue, where: string, code: ErrorCode): 'tool' | 'arguments' {
  if (given === 'tool' || given === 'arguments') return given;
  throw new TactusError(
    code,
    `${where}: remember must be "tool" or "arguments", got ${JSON.stringify(given)}`,
  );
}
