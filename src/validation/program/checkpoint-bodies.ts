import type { FunctionDeclaration, Node } from '../syntax/ast.js';
import type { SourceFile } from '../syntax/source-file.js';

/** Functions whose result is recorded: `checkpoint(function() … end)`. */
export function checkpointBodies(file: SourceFile): FunctionDeclaration[] {
  return file.calls.flatMap(({ callee, args: [body] }) => {
    if (callee !== 'checkpoint' && callee !== 'Step.checkpoint') return [];
    if (body?.type === 'FunctionDeclaration') return [body];
    const local = body?.type === 'Identifier' ? file.scopes.localOf(body) : null;
    const held = local === null ? undefined : file.parents.get(local.declared);
    return held?.type === 'FunctionDeclaration' ? [held] : [];
  });
}

/** The innermost of the functions that the node stands in. */
export function bodyAround(
  node: Node,
  bodies: readonly FunctionDeclaration[],
  { parents }: SourceFile,
): FunctionDeclaration | null {
  for (let up = parents.get(node); up !== undefined; up = parents.get(up))
    if (up.type === 'FunctionDeclaration' && bodies.includes(up)) return up;
  return null;
}
