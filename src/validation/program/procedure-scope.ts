import {
  fieldOf,
  functionAround,
  isComplete,
  isWithin,
  stringValue,
  type Chunk,
  type Expression,
  type FunctionDeclaration,
  type Node,
  type ReturnStatement,
} from '../syntax/ast.js';
import { declarationsIn } from './declared.js';
import { isOneField, readFields, type DeclaredField } from './fields.js';
import type { SourceFile } from '../syntax/source-file.js';

/** The part of a file that works with one declared input, output and state: a procedure, or a script. */
export interface ProcedureScope {
  file: SourceFile;
  name: string | null;
  body: FunctionDeclaration | Chunk;
  /** null where nothing is declared, or it isn't all written out. */
  input: DeclaredField[] | null;
  output: DeclaredField[] | null;
  state: DeclaredField[] | null;
}

export function procedureScopes(file: SourceFile): ProcedureScope[] {
  const read = (value: Expression | undefined): DeclaredField[] | null =>
    value?.type === 'TableConstructorExpression' && isComplete(value) && !isOneField(value)
      ? readFields(value, file)
      : null;
  const procedures = declarationsIn([file]).flatMap(({ kind, name, body, config }) =>
    kind !== 'procedure' || body === null
      ? []
      : [
          {
            ...{ file, name, body, input: read(fieldOf(config, 'input')) },
            output: read(fieldOf(config, 'output', 'outputs')),
            state: read(fieldOf(config, 'state')),
          },
        ],
  );
  if (procedures.length > 0) return procedures;
  const script = (name: string): DeclaredField[] | null =>
    read(file.calls.find(({ callee }) => callee === name)?.args[0]);
  return [
    {
      file,
      name: null,
      body: file.chunk,
      input: script('input'),
      output: script('output'),
      state: script('state'),
    },
  ];
}

/** The innermost of the scopes that a node stands in. */
export function scopeAround(node: Node, scopes: readonly ProcedureScope[]): ProcedureScope | null {
  return scopes.findLast(({ body, file }) => isWithin(node, body, file.parents)) ?? null;
}

/** The `return`s that end a procedure: not those of functions within it. */
export function returnsOf({ body, file }: ProcedureScope): ReturnStatement[] {
  const own = body.type === 'Chunk' ? null : body;
  return file.nodes.filter(
    (node): node is ReturnStatement =>
      node.type === 'ReturnStatement' && functionAround(node, file.parents) === own,
  );
}

/** A change of one value of the state, by assignment or by `State.set` and its like. */
interface StateWrite {
  key: string;
  /** Where the key stands. */
  node: Node;
  /** What is assigned, where it is one expression. */
  value: Expression | undefined;
}

export function stateWrites(file: SourceFile): StateWrite[] {
  const assigned = file.nodes.flatMap((node) => {
    if (node.type !== 'AssignmentStatement') return [];
    return node.variables.flatMap((target, i): StateWrite[] => {
      const key = stateKey(target, file);
      return key === null ? [] : [{ key, node: target, value: node.init[i] }];
    });
  });
  const called = file.calls.flatMap(({ callee, args }): StateWrite[] => {
    const key = /^State\.(set|increment|append)$/.test(callee) ? stringValue(args[0]) : null;
    if (key === null || args[0] === undefined) return [];
    return [{ key, node: args[0], value: callee === 'State.set' ? args[1] : undefined }];
  });
  return [...assigned, ...called];
}

/** `k` of `state.k` and `state["k"]`, where `state` is the state of the procedure; else null. */
function stateKey(node: Node, file: SourceFile): string | null {
  if (node.type !== 'MemberExpression' && node.type !== 'IndexExpression') return null;
  if (node.base.type !== 'Identifier' || node.base.name !== 'state') return null;
  if (file.scopes.localOf(node.base) !== null) return null;
  return node.type === 'MemberExpression' ? node.identifier.name : stringValue(node.index);
}

/** The procedure whose input a name stands for: the first parameter of its function, or the global `input`. */
export function inputOf(
  node: Node,
  file: SourceFile,
  { procedures, globals }: { procedures: readonly ProcedureScope[]; globals: ReadonlySet<string> },
): ProcedureScope | null {
  if (node.type !== 'Identifier') return null;
  const local = file.scopes.localOf(node);
  const scope = scopeAround(node, procedures);
  if (local === null)
    return (node.name === 'input' || node.name === 'params') && !globals.has(node.name) ? scope : null;
  return (
    procedures.find(
      ({ body }) =>
        body.type === 'FunctionDeclaration' &&
        body.parameters[0] === local.declared &&
        local.writes.length === 0,
    ) ?? null
  );
}
