import { textOf, type FunctionDeclaration, type Node } from '../validation/syntax/ast.js';
import type { SourceFile } from '../validation/syntax/source-file.js';

/** What people call a function: its own name, else that of the variable or the field that holds it. */
export function functionName(body: FunctionDeclaration, { parents }: SourceFile): string {
  if (body.identifier !== null) return variableName(body.identifier);
  const up = parents.get(body);
  if (up?.type === 'TableKeyString') return up.key.name;
  if (up?.type === 'TableKey') return textOf(up.key) ?? 'function';
  if (up?.type !== 'LocalStatement' && up?.type !== 'AssignmentStatement') return 'function';
  const target: Node | undefined = up.variables[up.init.indexOf(body)];
  return target === undefined ? 'function' : variableName(target);
}

function variableName(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression') return 'function';
  return `${variableName(node.base)}${node.indexer}${node.identifier.name}`;
}
