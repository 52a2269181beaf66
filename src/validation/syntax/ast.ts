/** What the syntax of a procedure is made of: only this file and parser.ts know the package that parses it. */
export type {
  CallExpression,
  Chunk,
  Expression,
  ForGenericStatement,
  ForNumericStatement,
  FunctionDeclaration,
  GotoStatement,
  Identifier,
  IfStatement,
  LabelStatement,
  LogicalExpression,
  MemberExpression,
  Node,
  RepeatStatement,
  ReturnStatement,
  Statement,
  StringCallExpression,
  TableCallExpression,
  TableConstructorExpression,
  TableKeyString,
  Token,
  WhileStatement,
} from 'luaparse';

import type { Expression, FunctionDeclaration, Node, TableConstructorExpression } from 'luaparse';

const simple: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', '\n': '\n' },
};

const escape = /\\(z\s*|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|\d{1,3}|\r?\n|.)/gs;

/** What a Lua string literal stands for. Bytes above 127 that are escaped count as characters: no rule needs them. */
function decodeString(raw: string): string {
  const long = /^\[(=*)\[\r?\n?([^]*)\]\1\]$/.exec(raw);
  if (long !== null) return long[2] ?? '';
  return raw.slice(1, -1).replace(escape, (_whole, code: string) => {
    if (code.startsWith('z')) return '';
    if (/^x[0-9a-fA-F]/.test(code)) return String.fromCharCode(parseInt(code.slice(1), 16));
    if (code.startsWith('u{'))
      return String.fromCodePoint(Math.min(parseInt(code.slice(2, -1), 16), 0x10ffff));
    if (/^\d/.test(code)) return String.fromCharCode(Number(code) & 0xff);
    return Object.hasOwn(simple, code) ? (simple[code] ?? code) : code;
  });
}

/** The nodes directly below one, in the order of the source. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (key === 'loc' || key === 'range') continue;
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(each)) children.push(each);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The node and all below it; not into functions where `intoFunctions` is false. */
export function* within(node: Node, intoFunctions = true): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) {
    if (!intoFunctions && child.type === 'FunctionDeclaration') continue;
    yield* within(child, intoFunctions);
  }
}

export function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1;
}

/** The text of a string literal; null for any other expression. */
export function stringValue(node: Node | undefined): string | null {
  return node?.type === 'StringLiteral' ? decodeString(node.raw) : null;
}

export interface TableField {
  key: string;
  /** Where the key stands. */
  node: Node;
  value: Expression;
}

/** Fields with literal names. */
export function namedFields(table: TableConstructorExpression): TableField[] {
  return table.fields.flatMap((field) => {
    if (field.type === 'TableKeyString')
      return [{ key: field.key.name, node: field.key, value: field.value }];
    const key = field.type === 'TableKey' ? stringValue(field.key) : null;
    return key === null || field.type !== 'TableKey' ? [] : [{ key, node: field.key, value: field.value }];
  });
}

export function fieldOf(
  table: TableConstructorExpression | null,
  ...names: string[]
): Expression | undefined {
  return table === null ? undefined : namedFields(table).find(({ key }) => names.includes(key))?.value;
}

/** Values without a name, as those of a list. */
export function listItems(table: TableConstructorExpression): Expression[] {
  return table.fields.flatMap((field) => (field.type === 'TableValue' ? [field.value] : []));
}

/** Whether all keys of the table are written out: neither computed ones nor a spread at its end. */
export function isComplete(table: TableConstructorExpression): boolean {
  const last = table.fields.at(-1);
  const spreads = last?.type === 'TableValue' && (isCall(last.value) || last.value.type === 'VarargLiteral');
  return (
    !spreads && table.fields.every((field) => field.type !== 'TableKey' || stringValue(field.key) !== null)
  );
}

export function isCall(node: Node): boolean {
  return (
    node.type === 'CallExpression' ||
    node.type === 'TableCallExpression' ||
    node.type === 'StringCallExpression'
  );
}

/** The innermost function around a node; null at the top of the file. */
export function functionAround(node: Node, parents: ReadonlyMap<Node, Node>): FunctionDeclaration | null {
  for (let up = parents.get(node); up !== undefined; up = parents.get(up))
    if (up.type === 'FunctionDeclaration') return up;
  return null;
}

export function isWithin(node: Node, outer: Node, parents: ReadonlyMap<Node, Node>): boolean {
  for (let up: Node | undefined = node; up !== undefined; up = parents.get(up)) if (up === outer) return true;
  return false;
}
