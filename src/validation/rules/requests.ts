/** Rules about calls of `Human`. */
import { humanCallProblem } from '../../lua-bridge/index.js';
import {
  type Expression,
  fieldOf,
  isComplete,
  isWithin,
  listItems,
  namedFields,
  type Node,
  stringValue,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import type { Finding, Rule } from '../rule.js';
import { isCallNode, type Call, type SourceFile } from '../syntax/source-file.js';
import { literalKind, numberOf, scalarOf } from '../syntax/literal-kind.js';
import { invalidDuration, missingValue, wrongType } from './keys-and-arguments.js';
import { type JsonObject, type JsonValue, setOwn } from '../../contract/json/json.js';

/** Options of a human request that nobody can choose between: none, one twice, or a default outside of them. */
export const wrongOptions: Rule = {
  code: 'wrong_options',
  severity: 'error',
  *check(file) {
    for (const { callee, args } of file.calls) {
      const [config] = args;
      if (!/^Human\.(input|review|select)$/.test(callee) || config?.type !== 'TableConstructorExpression')
        continue;
      const options = fieldOf(config, 'options');
      if (options?.type !== 'TableConstructorExpression') continue;
      const items = listItems(options);
      if (items.length !== options.fields.length) continue;
      if (items.length === 0 && callee !== 'Human.input')
        yield {
          node: options,
          message: `${callee} has no options to choose from`,
          suggestion: 'write options = {"yes", "no"}',
        };
      const values = items.map((item) =>
        item.type === 'TableConstructorExpression'
          ? (stringValue(fieldOf(item, 'value', 'label')) ?? undefined)
          : scalarOf(item),
      );
      const twice = items.find((_, i) => values[i] !== undefined && values.indexOf(values[i]) < i);
      if (twice !== undefined)
        yield {
          node: twice,
          message: `${callee} has the same option twice`,
          suggestion: 'leave one of them out',
        };
      const given = fieldOf(config, 'default');
      const chosen = given === undefined ? undefined : scalarOf(given);
      if (
        given !== undefined &&
        chosen !== undefined &&
        items.length > 0 &&
        !values.includes(undefined) &&
        !values.includes(chosen)
      )
        yield {
          node: given,
          message: `The default of ${callee} is not among its options`,
          suggestion: `use one of ${values.map((each) => JSON.stringify(each)).join(', ')}`,
        };
    }
  },
};

/** `Human.approve(…) == "yes"` is never true: an approval is a boolean. */
export const approvalCompared: Rule = {
  code: 'approval_compared',
  severity: 'warning',
  *check(file) {
    const approvals = file.calls.filter(({ callee }) => callee === 'Human.approve').map(({ node }) => node);
    const isApproval = (node: object): boolean => approvals.some((each) => each === node);
    const held = file.scopes.locals.filter(({ declared, writes }) => {
      const up = file.parents.get(declared);
      const value = up?.type === 'LocalStatement' ? up.init[up.variables.indexOf(declared)] : undefined;
      return writes.length === 0 && value !== undefined && isCallNode(value) && isApproval(value);
    });
    for (const node of file.nodes) {
      if (node.type !== 'BinaryExpression' || (node.operator !== '==' && node.operator !== '~=')) continue;
      const sides = [node.left, node.right];
      const approves = sides.some(
        (side) => isApproval(side) || held.some((local) => local === file.scopes.localOf(side)),
      );
      const compared = sides
        .map(literalKind)
        .find((kind) => kind !== null && kind !== 'boolean' && kind !== 'nil');
      if (approves && compared !== undefined)
        yield {
          node,
          message: 'Human.approve gives true or false: compared with anything else, it is never equal',
          suggestion: 'use it as a condition: if Human.approve(…) then',
        };
    }
  },
};

/** Rules that say the same of one value more plainly. */
const plainer: readonly Rule[] = [invalidDuration, missingValue, wrongOptions, wrongType];

/** A call of `Human` that a run refuses when it comes to it, by the values that are written out there: what reads them in a run reads them here. */
export const refusedRequest: Rule = {
  code: 'refused_request',
  severity: 'error',
  *check(file, program) {
    if (program.globals.has('Human')) return;
    const found: { call: Call; finding: Finding }[] = [];
    for (const call of file.calls) {
      const [, name] = /^Human\.(\w+)$/.exec(call.callee) ?? [];
      const [config] = call.args;
      if (name === undefined || config?.type !== 'TableConstructorExpression') continue;
      const request = writtenRequest(name, config);
      const message = humanCallProblem(name, request.fields);
      if (message === null) continue;
      const node = culprit(name, config, request) ?? call.node;
      found.push({ call, finding: { node, message, suggestion: 'see docs/people.md for what it takes' } });
    }
    if (found.length === 0) return;
    const said = [...nodesOf(file, program)];
    for (const { call, finding } of found)
      if (!said.some((node) => isWithin(node, call.node, file.parents))) yield finding;
  },
};

/** The last value without which the call would be taken; of several questions, the one that wouldn't. */
function culprit(
  name: string,
  config: TableConstructorExpression,
  { fields, written }: WrittenRequest,
): Node | undefined {
  const key = [...written.keys()].findLast((each) => {
    const { [each]: _, ...others } = fields;
    return humanCallProblem(name, others) === null;
  });
  if (key !== undefined) return written.get(key);
  const { items } = fields;
  if (!Array.isArray(items)) return undefined;
  const wrong = items.findIndex((item) => humanCallProblem(name, { ...fields, items: [item] }) !== null);
  const list = fieldOf(config, 'items') ?? config;
  return (list.type === 'TableConstructorExpression' ? listItems(list)[wrong] : undefined) ?? list;
}

function* nodesOf(file: SourceFile, program: AnalysedProgram): Generator<Node> {
  for (const rule of plainer) for (const { node } of rule.check(file, program)) yield node;
}

/** The fields of a call of `Human`, as far as they are written out. */
interface WrittenRequest {
  /** In place of what is computed stands something that is taken. */
  fields: JsonObject;
  /** Where those stand that are written out. */
  written: ReadonlyMap<string, Expression>;
}

/** As many as a request may have: whatever is said of their number holds. */
const anyOptions: JsonValue[] = Array.from({ length: 200 }, (_, i) => `option ${i + 1}`);
const anyQuestion = (number: number): JsonObject => ({ id: `question ${number}`, label: 'Question' });

/** Without them, or with others, what is written out beside them might be taken or refused. */
const placeholders: Readonly<Record<string, JsonValue>> = {
  ...{ options: anyOptions, items: [anyQuestion(1)], component_type: 'component', timeout: 3_600 },
  ...{ requester: 'somebody', escalate_to: 'somebody', expires_at: '2100-01-01', type: 'input' },
};

/** Reads the table of a call `Human.NAME`; a list of tables are questions. */
function writtenRequest(name: string, table: TableConstructorExpression): WrittenRequest {
  const questions = listItems(table);
  const isList = questions.length > 0 && questions.length === table.fields.length;
  if (isList && /^(multiple|inputs)$/.test(name))
    return { fields: { items: questionsOf(table) ?? [anyQuestion(1)] }, written: new Map() };
  return readTable(table, { message: 'Question' });
}

/** What the table says, with what stands for that which it computes, or may get from elsewhere. */
function readTable(table: TableConstructorExpression, needed: JsonObject): WrittenRequest {
  const fields: JsonObject = {};
  const written = new Map<string, Expression>();
  const computed = new Set<string>();
  const named = namedFields(table);
  for (const { key, value } of named) {
    const known =
      key === 'items' && value.type === 'TableConstructorExpression' ? questionsOf(value) : jsonOf(value);
    if (known === undefined) computed.add(key);
    else if (known !== null) {
      setOwn(fields, key, known);
      written.set(key, value);
    }
  }
  // More of it is declared elsewhere, or under names that aren't written out.
  const isOpen =
    !isComplete(table) || computed.has('metadata') || named.some(({ key }) => key === 'config_key');
  delete fields['config_key'];
  for (const [key, stand] of [...Object.entries(needed), ...Object.entries(placeholders)])
    if (!(key in fields) && (computed.has(key) || isOpen || key in needed)) setOwn(fields, key, stand);
  // Whether it fits, depends on them.
  const isOfComputed = ['options', 'items', 'response_schema', 'mode', 'multiple', 'type'].some((key) =>
    computed.has(key),
  );
  if (isOfComputed || isOpen || hasUnread(named.find(({ key }) => key === 'items')?.value))
    for (const key of ['default', 'default_on_timeout']) {
      delete fields[key];
      written.delete(key);
    }
  // Who may decide isn't known: neither whether they are enough.
  if (['approvers', 'escalate_to', 'requester', 'quorum'].some((key) => computed.has(key)) || isOpen) {
    delete fields['approvers'];
    written.delete('approvers');
  }
  return { fields, written };
}

/** Questions whose kind is computed stand for any other. */
function questionsOf(table: TableConstructorExpression): JsonValue | undefined {
  if (!isComplete(table)) return undefined;
  const items = listItems(table);
  if (items.length !== table.fields.length) return jsonOf(table);
  return items.map((item, i): JsonValue => {
    if (item.type !== 'TableConstructorExpression') return jsonOf(item) ?? anyQuestion(i + 1);
    const isTyped = namedFields(item).some(({ key, value }) => key === 'type' && stringValue(value) === null);
    if (isTyped || !isComplete(item)) return anyQuestion(i + 1);
    const computed = namedFields(item).flatMap(({ key, value }) =>
      jsonOf(value) === undefined ? [key] : [],
    );
    const needed = Object.fromEntries(
      computed
        .filter((key) => key in anyQuestion(0) || key === 'message')
        .map((key) => [key, `${key} ${i + 1}`]),
    );
    return readTable(item, needed).fields;
  });
}

/** Something in it is computed. */
function hasUnread(value: Expression | undefined): boolean {
  return value !== undefined && jsonOf(value) === undefined;
}

/** The value that is written out; undefined where it isn't. */
function jsonOf(node: Expression): JsonValue | undefined {
  if (node.type === 'NilLiteral') return null;
  if (node.type === 'BooleanLiteral') return node.value;
  if (node.type !== 'TableConstructorExpression') return stringValue(node) ?? numberOf(node) ?? undefined;
  if (!isComplete(node)) return undefined;
  const items = listItems(node);
  if (items.length === node.fields.length) {
    const values = items.map(jsonOf);
    return values.every((each): each is JsonValue => each !== undefined) ? values : undefined;
  }
  if (items.length > 0) return undefined;
  const object: JsonObject = {};
  for (const { key, value } of namedFields(node)) {
    const known = jsonOf(value);
    if (known === undefined) return undefined;
    if (known !== null) setOwn(object, key, known);
  }
  return object;
}
