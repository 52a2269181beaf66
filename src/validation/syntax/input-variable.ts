import type { Node } from './ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { scopeAround, type ProcedureScope } from '../program/procedure-scope.js';
import type { SourceFile } from './source-file.js';

/** The procedure whose input a name stands for: the first parameter of its function, or the global `input`. */
export function inputOf(
  node: Node,
  file: SourceFile,
  { procedures, globals }: AnalysedProgram,
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
