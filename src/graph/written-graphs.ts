import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import { assignedVariable } from '../validation/program/declared.js';
import { returnedIn, textsIn, type WrittenTexts } from '../validation/program/written-graphs.js';
import {
  fieldOf,
  namedFields,
  stringValue,
  type Expression,
  type FunctionDeclaration,
  type Node,
  type Statement,
  type TableConstructorExpression,
} from '../validation/syntax/ast.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { initialValue, valueOf, type Value } from '../validation/syntax/value-of.js';

/** A `Graph {…}`, as a file writes it. */
export interface WrittenGraph {
  /** Its own name, else that of the variable that holds it. */
  name: string;
  file: SourceFile;
  /** The call that declares it. */
  call: Node;
  /** In the order in which they are reached by names that are written out, then the others. */
  nodes: WrittenNode[];
}

export interface WrittenNode {
  name: string;
  value: Expression;
  /** What it runs; null: a tool, or what nothing tells. */
  body: Extract<Value, { kind: 'function' }> | null;
  /** The tool of a worker that it is. */
  use: string | null;
  /** Nodes that it names in its `next`. */
  next: string[];
  /** It may name nobody. */
  mayEnd: boolean;
  /** It names others, and the source doesn't tell which. */
  isComputed: boolean;
  /** It is the entrypoint, or named by a node that is reached. */
  isReached: boolean;
}

export function writtenGraphs(program: AnalysedProgram): WrittenGraph[] {
  return program.files.flatMap((file) =>
    file.calls.flatMap(({ callee, node, args: [config] }) => {
      if (callee !== 'Graph' || config?.type !== 'TableConstructorExpression') return [];
      const name = stringValue(fieldOf(config, 'name')) ?? assignedVariable(node, file)?.name ?? 'graph';
      return [{ name, file, call: node, nodes: nodesOf(config, file, program) }];
    }),
  );
}

/** The call that declares the graph that is called here; null: no graph is. */
export function calledGraph(called: Expression, file: SourceFile, program: AnalysedProgram): Node | null {
  const held = called.type === 'Identifier' ? initialValue(called, file, program) : { value: called, file };
  return held !== null && held.file.callAt.get(held.value)?.callee === 'Graph' ? held.value : null;
}

/**
 * The graph that the entry returns, or calls `main`, or has in a global variable.
 * @param isAlone the entry does nothing itself, and declares nothing else that runs
 */
export function mainGraphOf(
  program: AnalysedProgram,
  graphs: readonly WrittenGraph[],
  isAlone: boolean,
): WrittenGraph | null {
  const { entry } = program;
  const own = graphs.filter(({ file }) => file === entry);
  const last = entry.chunk.body.at(-1);
  const returned = last?.type === 'ReturnStatement' ? last.arguments[0] : undefined;
  const call = returned === undefined ? null : calledGraph(returned, entry, program);
  const globals = own.filter((graph) => globalOf(graph) !== null);
  const alone = isAlone && returned === undefined && globals.length === 1 ? globals[0] : undefined;
  return (
    own.find((graph) => graph.call === call) ??
    globals.find((graph) => globalOf(graph) === 'main') ??
    alone ??
    null
  );
}

function globalOf({ call, file }: WrittenGraph): string | null {
  const variable = assignedVariable(call, file);
  return variable !== null && file.scopes.localOf(variable) === null ? variable.name : null;
}

function nodesOf(
  config: TableConstructorExpression,
  file: SourceFile,
  program: AnalysedProgram,
): WrittenNode[] {
  const table = fieldOf(config, 'nodes');
  if (table?.type !== 'TableConstructorExpression') return [];
  const written = namedFields(table).map(({ key, value }) => nodeOf(key, value, file, program));
  const byName = new Map(written.map((node) => [node.name, node]));
  const first = stringValue(fieldOf(config, 'entrypoint')) ?? [...byName.keys()].sort()[0];
  const reached = new Set<string>();
  const queue = first === undefined ? [] : [first];
  for (const name of queue) {
    if (reached.has(name)) continue;
    const node = byName.get(name);
    if (node === undefined) continue;
    reached.add(name);
    queue.push(...node.next);
  }
  const ordered = [...reached].flatMap((name) => byName.get(name) ?? []);
  const others = written.filter(({ name }) => !reached.has(name));
  return [...ordered, ...others].map((node) => ({ ...node, isReached: reached.has(node.name) }));
}

function nodeOf(
  name: string,
  value: Expression,
  file: SourceFile,
  program: AnalysedProgram,
): Omit<WrittenNode, 'isReached'> {
  const found = valueOf(value, file, program);
  if (found?.kind === 'function') {
    return { name, value, body: found, use: null, ...nextOf(found.body) };
  }
  const config = found?.kind === 'declared' ? found.declared.config : null;
  const use = stringValue(fieldOf(config, 'use'));
  return { name, value, body: null, use, next: [], mayEnd: false, isComputed: true };
}

/** Whom a node names, by what its function returns. */
function nextOf(body: FunctionDeclaration): Pick<WrittenNode, 'next' | 'mayEnd' | 'isComputed'> {
  const returned = returnedIn(body);
  // Without a return at its end, it may give nothing.
  const all = alwaysLeaves(body.body) ? returned : [...returned, undefined];
  const named = all.map(namedIn);
  return {
    next: [...new Set(named.flatMap(({ texts }) => texts.map((text) => stringValue(text) ?? '')))],
    mayEnd: named.some(({ texts, isWhole }) => isWhole && texts.length === 0),
    isComputed: named.some(({ isWhole }) => !isWhole),
  };
}

function alwaysLeaves(statements: readonly Statement[]): boolean {
  const last = statements.at(-1);
  if (last?.type === 'ReturnStatement') return true;
  if (last?.type === 'DoStatement') return alwaysLeaves(last.body);
  if (last?.type !== 'IfStatement') return false;
  return last.clauses.at(-1)?.type === 'ElseClause' && last.clauses.every(({ body }) => alwaysLeaves(body));
}

function namedIn(returned: Expression | undefined): WrittenTexts {
  if (returned === undefined || returned.type === 'NilLiteral') return { texts: [], isWhole: true };
  if (returned.type !== 'TableConstructorExpression') return { texts: [], isWhole: false };
  const next = fieldOf(returned, 'next');
  return next === undefined ? { texts: [], isWhole: true } : textsIn(next);
}
