import {
  fieldOf,
  isComplete,
  isWithin,
  type Chunk,
  type Expression,
  type FunctionDeclaration,
  type Node,
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
