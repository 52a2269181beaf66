import { digestOf } from '../effects/digest.js';
import { TactusError, type ErrorCode } from '../errors.js';
import {
  asJson,
  canonicalJson,
  getOwn,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json/json.js';
import { matchesGlob } from '../text/glob.js';
import { readDuration } from '../time/duration.js';

/** What becomes of a call. */
export type PolicyAction = 'allow' | 'approve' | 'deny';

/** The laxest first. */
export const policyActions: readonly PolicyAction[] = ['allow', 'approve', 'deny'];

/** What one argument must be for a rule to hold; all that is said must be so. */
export interface ArgumentCondition {
  equals?: JsonValue;
  not?: JsonValue;
  in?: JsonValue[];
  /** With `*` for any characters. */
  matches?: string;
  above?: number;
  at_least?: number;
  below?: number;
  at_most?: number;
}

/** A rule for calls of tools. Names and patterns have `*` for any characters. */
export interface ToolRule {
  /** By any of its names: `charge_card`, `host.charge_card`, `mcp.files.*`. */
  tool: string;
  /** Left out: any. */
  procedure?: string;
  /** By the argument's name, with dots for those inside of it. */
  when?: Record<string, ArgumentCondition>;
  action: PolicyAction;
  /** Who may say yes; left out: anyone. */
  approvers?: string[];
  /** Time to answer, in ms; nobody's answer is a no. Left out: for ever. */
  timeoutMs?: number;
  /** How long a yes holds for what isn't begun, in ms; left out: for ever. */
  expiresMs?: number;
  /** For what else in the run a yes holds: all calls of the tool, or those with the same arguments. Left out: nothing. */
  remember?: 'tool' | 'arguments';
}

/** Who runs procedures says which calls of tools may be done. The strictest of all rules that hold is what counts. */
export interface ToolPolicy {
  /** For calls that no rule speaks of. */
  default: PolicyAction;
  rules: ToolRule[];
}

export interface JudgedCall {
  /** All names that the tool has for whoever runs procedures. */
  names: readonly string[];
  procedure: string;
  args: JsonValue;
}

export interface Judgement {
  action: PolicyAction;
  /** null: that no rule holds. */
  rule: ToolRule | null;
}

export const noPolicy: ToolPolicy = { default: 'allow', rules: [] };

/** What a policy says of a call. */
export function judgeCall({ default: byDefault, rules }: ToolPolicy, call: JudgedCall): Judgement {
  const holding = rules.filter((rule) => holds(rule, call));
  const rule = holding.reduce<ToolRule | null>(
    (strictest, each) => (strictest === null || isStricter(each.action, strictest.action) ? each : strictest),
    null,
  );
  return { action: rule?.action ?? byDefault, rule };
}

export function stricter(one: Judgement, other: Judgement): Judgement {
  return isStricter(other.action, one.action) ? other : one;
}

/** What an approval is bound to: the tool, wherever it lives, and exactly these arguments. */
export function callDigest(tool: string, args: JsonValue): string {
  return digestOf([tool, args]);
}

function isStricter(one: PolicyAction, other: PolicyAction): boolean {
  return policyActions.indexOf(one) > policyActions.indexOf(other);
}

function holds({ tool, procedure = '*', when = {}, action }: ToolRule, call: JudgedCall): boolean {
  return (
    call.names.some((name) => matchesGlob(tool, name)) &&
    matchesGlob(procedure, call.procedure) &&
    Object.entries(when).every(([path, condition]) => isSo(condition, argument(call.args, path), action))
  );
}

function argument(args: JsonValue, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>(
      (value, name) => (value !== undefined && isObject(value) ? getOwn(value, name) : undefined),
      args,
    );
}

/** Where something can't be compared, a rule that forbids holds, and one that allows doesn't. */
function isSo(condition: ArgumentCondition, value: JsonValue | undefined, action: PolicyAction): boolean {
  const given = value ?? null;
  const isSame = (wanted: JsonValue): boolean => canonicalJson(wanted) === canonicalJson(given);
  const inDoubt = action !== 'allow';
  const compare = (bound: number | undefined, isIn: (given: number, bound: number) => boolean): boolean =>
    bound === undefined || (typeof given === 'number' ? isIn(given, bound) : inDoubt);
  const { equals, not, in: among, matches } = condition;
  return (
    (equals === undefined || isSame(equals)) &&
    (not === undefined || !isSame(not)) &&
    (among === undefined || among.some(isSame)) &&
    (matches === undefined || (typeof given === 'string' ? matchesGlob(matches, given) : inDoubt)) &&
    compare(condition.above, (number, bound) => number > bound) &&
    compare(condition.at_least, (number, bound) => number >= bound) &&
    compare(condition.below, (number, bound) => number < bound) &&
    compare(condition.at_most, (number, bound) => number <= bound)
  );
}

/** Whether a client, in whatever language, has given a policy of ours. */
export function isToolPolicy(value: JsonValue): boolean {
  if (!isObject(value) || !isAction(value['default']) || !Array.isArray(value['rules'])) return false;
  return value['rules'].every(
    (rule) =>
      isObject(rule) &&
      Object.keys(rule).every((key) => ruleKeys.includes(key)) &&
      typeof rule['tool'] === 'string' &&
      isAction(rule['action']) &&
      (rule['when'] === undefined ||
        (isObject(rule['when']) && Object.values(rule['when']).every(isObject))) &&
      (rule['approvers'] === undefined || Array.isArray(rule['approvers'])),
  );
}

const ruleKeys = ['tool', 'procedure', 'when', 'action', 'approvers', 'timeoutMs', 'expiresMs', 'remember'];

function isAction(value: JsonValue | undefined): boolean {
  return policyActions.some((action) => action === value);
}

/** A rule as JSON, for whoever is asked, and for the comparison of rules. */
export function ruleJson(rule: ToolRule): JsonObject {
  return asJson(rule);
}

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
