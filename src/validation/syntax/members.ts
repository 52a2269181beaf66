import type { Expression, Node } from './ast.js';

export interface MemberValue {
  /** The table: `M`. */
  base: Expression;
  value: Expression;
}

/** What the nodes of a file assign to members of tables, by the member's name. */
export function readMembers(nodes: readonly Node[]): Map<string, MemberValue[]> {
  const members = new Map<string, MemberValue[]>();
  const add = (target: Node | null, value: Expression | undefined): void => {
    if (target?.type !== 'MemberExpression' || value === undefined) return;
    const { name } = target.identifier;
    members.set(name, [...(members.get(name) ?? []), { base: target.base, value }]);
  };
  for (const node of nodes)
    if (node.type === 'FunctionDeclaration') add(node.identifier, node);
    else if (node.type === 'AssignmentStatement')
      node.variables.forEach((target, i) => add(target, node.init[i]));
  return members;
}
