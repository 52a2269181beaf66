import {
  fieldOf,
  isComplete,
  listItems,
  namedFields,
  stringValue,
  within,
  type Expression,
  type FunctionDeclaration,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import type { SourceFile } from '../syntax/source-file.js';

/** A graph whose table is written out in a file. */
export interface WrittenGraph {
  entrypoint: Expression | undefined;
  /** Functions of its nodes, as far as they are written out. */
  bodies: readonly FunctionDeclaration[];
  /** Names of its nodes; null where some are computed. */
  nodes: readonly string[] | null;
  /** Names of its channels; null where some are computed. */
  channels: readonly string[] | null;
  /** What its nodes return, as far as it is written out. */
  results: readonly TableConstructorExpression[];
}

export function graphsIn({ calls }: SourceFile): WrittenGraph[] {
  return calls.flatMap(({ callee, args: [config] }) =>
    callee === 'Graph' && config?.type === 'TableConstructorExpression' ? [readGraph(config)] : [],
  );
}

function readGraph(config: TableConstructorExpression): WrittenGraph {
  const nodes = fieldOf(config, 'nodes');
  const channels = fieldOf(config, 'channels');
  const fields = nodes?.type === 'TableConstructorExpression' ? namedFields(nodes) : [];
  const bodies = fields.flatMap(({ value }) => (value.type === 'FunctionDeclaration' ? [value] : []));
  return {
    entrypoint: fieldOf(config, 'entrypoint'),
    bodies,
    nodes: namesOf(nodes),
    channels: channels === undefined && isComplete(config) ? [] : namesOf(channels),
    results: bodies.flatMap(returnedTables),
  };
}

function namesOf(table: Expression | undefined): string[] | null {
  if (table?.type !== 'TableConstructorExpression' || !isComplete(table)) return null;
  return namedFields(table).map(({ key }) => key);
}

function returnedTables(body: FunctionDeclaration): TableConstructorExpression[] {
  return [...within(body, false)].flatMap((node) => {
    const [value] = node.type === 'ReturnStatement' ? node.arguments : [];
    return value?.type === 'TableConstructorExpression' ? [value] : [];
  });
}

/** Texts that a value may be: `"a"`, `{ "a", "b" }`, `isOver and "a" or nil`. */
export function textsIn(value: Expression | undefined): Expression[] {
  if (value === undefined) return [];
  if (value.type === 'TableConstructorExpression') return listItems(value).flatMap(textsIn);
  if (value.type === 'LogicalExpression') {
    const last = textsIn(value.right);
    return value.operator === 'and' ? last : [...textsIn(value.left), ...last];
  }
  return stringValue(value) === null ? [] : [value];
}
