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
  return returnedIn(body).flatMap((value) => (value?.type === 'TableConstructorExpression' ? [value] : []));
}

/** The first value of each `return` of a function; undefined: it gives none there. */
export function returnedIn(body: FunctionDeclaration): (Expression | undefined)[] {
  return [...within(body, false)].flatMap((node) =>
    node.type === 'ReturnStatement' ? [node.arguments[0]] : [],
  );
}

/** Texts that are written out in a value. */
export interface WrittenTexts {
  texts: Expression[];
  /** It is nothing but these. */
  isWhole: boolean;
}

/** What a value may be: `"a"`, `{ "a", "b" }`, `isOver and "a" or nil`. */
export function textsIn(value: Expression): WrittenTexts {
  if (stringValue(value) !== null) return { texts: [value], isWhole: true };
  const parts =
    value.type === 'TableConstructorExpression'
      ? listItems(value)
      : value.type === 'LogicalExpression'
        ? value.operator === 'and'
          ? [value.right]
          : [value.left, value.right]
        : null;
  if (parts === null) return { texts: [], isWhole: value.type === 'NilLiteral' };
  const found = parts.map(textsIn);
  return { texts: found.flatMap(({ texts }) => texts), isWhole: found.every(({ isWhole }) => isWhole) };
}
