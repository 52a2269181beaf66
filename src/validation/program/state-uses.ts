import { textOf, type Expression, type Node } from '../syntax/ast.js';
import type { SourceFile } from '../syntax/source-file.js';

/** A change of one value of the state, by assignment or by `State.set` and its like. */
export interface StateWrite {
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
    const key = /^State\.(set|increment|append)$/.test(callee) ? textOf(args[0]) : null;
    if (key === null || args[0] === undefined) return [];
    return [{ key, node: args[0], value: callee === 'State.set' ? args[1] : undefined }];
  });
  return [...assigned, ...called];
}

/** `k` of `state.k` and `state["k"]`, where `state` is the state of the procedure; else null. */
export function stateKey(node: Node, file: SourceFile): string | null {
  if (node.type !== 'MemberExpression' && node.type !== 'IndexExpression') return null;
  if (node.base.type !== 'Identifier' || node.base.name !== 'state') return null;
  if (file.scopes.localOf(node.base) !== null) return null;
  return node.type === 'MemberExpression' ? node.identifier.name : textOf(node.index);
}
