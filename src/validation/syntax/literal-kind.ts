import { listItems, namedFields, stringValue, type Expression } from './ast.js';

export type LiteralKind =
  'text' | 'number' | 'integer' | 'boolean' | 'nil' | 'list' | 'table' | 'empty table' | 'function';

/** What an expression is known to be without running it; null where that isn't known. */
export function literalKind(node: Expression): LiteralKind | null {
  if (node.type === 'StringLiteral') return 'text';
  if (node.type === 'NumericLiteral') return Number.isInteger(node.value) ? 'integer' : 'number';
  if (node.type === 'BooleanLiteral') return 'boolean';
  if (node.type === 'NilLiteral') return 'nil';
  if (node.type === 'FunctionDeclaration') return 'function';
  if (node.type === 'TableConstructorExpression') {
    if (node.fields.length === 0) return 'empty table';
    return listItems(node).length === node.fields.length ? 'list' : 'table';
  }
  if (node.type === 'UnaryExpression') {
    if (node.operator === 'not') return 'boolean';
    return node.operator === '-' ? numeric(literalKind(node.argument)) : null;
  }
  if (node.type !== 'BinaryExpression') return null;
  if (['==', '~=', '<', '>', '<=', '>='].includes(node.operator)) return 'boolean';
  return node.operator === '..' ? 'text' : null;
}

function numeric(kind: LiteralKind | null): LiteralKind | null {
  return kind === 'number' || kind === 'integer' ? kind : null;
}

/** The number that is written there; null where it is none. */
export function numberOf(node: Expression): number | null {
  if (node.type === 'NumericLiteral') return node.value;
  if (node.type !== 'UnaryExpression' || node.operator !== '-') return null;
  return node.argument.type === 'NumericLiteral' ? -node.argument.value : null;
}

/** A scalar as JavaScript has it, to compare; undefined where it is none. */
export function scalarOf(node: Expression): string | number | boolean | undefined {
  if (node.type === 'BooleanLiteral') return node.value;
  return stringValue(node) ?? numberOf(node) ?? undefined;
}

/** The values of an enum, where one that is written out isn't among them; else null. */
export function allowedInstead(value: Expression, allowed: Expression | undefined): string | null {
  if (allowed?.type !== 'TableConstructorExpression') return null;
  const values = listItems(allowed).map(scalarOf);
  const scalar = scalarOf(value);
  if (scalar === undefined || values.includes(undefined) || values.includes(scalar)) return null;
  return values.map((each) => JSON.stringify(each)).join(', ');
}

/** Whether a literal of the kind can be one of the kinds of a signature. */
export function isOneOf(kind: LiteralKind, wanted: string): boolean {
  return wanted.split('|').some((each) => {
    if (each === 'any') return true;
    if (each === 'number') return kind === 'number' || kind === 'integer';
    if (each === 'table') return kind === 'table' || kind === 'list' || kind === 'empty table';
    if (each === 'list') return kind === 'list' || kind === 'empty table';
    if (each === 'duration') return kind === 'text' || kind === 'number' || kind === 'integer';
    return each === kind;
  });
}

/** Whether a literal can be a field of the type. */
export function fitsField(node: Expression, type: string): boolean {
  const kind = literalKind(node);
  if (kind === null || kind === 'nil') return true;
  switch (type) {
    case 'string':
    case 'str':
      return kind === 'text';
    case 'number':
    case 'float':
      return kind === 'number' || kind === 'integer';
    case 'integer':
    case 'int':
      return kind === 'integer';
    case 'boolean':
    case 'bool':
      return kind === 'boolean';
    case 'array':
    case 'list':
      return kind === 'list' || kind === 'empty table';
    case 'object':
    case 'dict':
      return (
        kind === 'empty table' ||
        (kind === 'table' && node.type === 'TableConstructorExpression' && hasNames(node))
      );
    case 'table':
      return ['table', 'list', 'empty table'].includes(kind);
    default:
      return true;
  }
}

function hasNames(node: Extract<Expression, { type: 'TableConstructorExpression' }>): boolean {
  return namedFields(node).length > 0 || node.fields.some(({ type }) => type === 'TableKey');
}

const names: Record<LiteralKind, string> = {
  ...{ text: 'a text', number: 'a number', integer: 'a number', boolean: 'a boolean', nil: 'nil' },
  ...{ list: 'a list', table: 'a table', 'empty table': 'an empty table', function: 'a function' },
};

export function kindText(kind: LiteralKind): string {
  return names[kind];
}

/** `a text or a table` for `text|table`. */
export function kindsText(wanted: string): string {
  const texts: Record<string, string> = {
    ...names,
    integer: 'a whole number',
    duration: 'seconds or a text such as "24h"',
  };
  return wanted
    .split('|')
    .map((each) => texts[each] ?? each)
    .join(' or ');
}

const examples: Readonly<Record<string, string>> = {
  ...{ text: '"…"', number: '0.5', integer: '10', boolean: 'true or false', table: '{ key = value }' },
  ...{ list: '{ first, second }', function: 'function(…) … end', duration: '30 or "30s"' },
};

/** How a value of one of the kinds is written. */
export function exampleOf(wanted: string): string {
  return wanted
    .split('|')
    .map((each) => examples[each] ?? 'a value')
    .join(', or ');
}
