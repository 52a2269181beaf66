import { digestOf } from '../effects/digest.js';
import { canonicalJson, getOwn, isObject, type JsonObject, type JsonValue } from '../json/json.js';
import { matchesGlob } from './matches-glob.js';

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
  return rule as unknown as JsonObject;
}
