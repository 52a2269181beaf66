import { childrenOf, type Chunk, type Expression, type Node } from './ast.js';
import { readCalls, type Call } from './calls.js';
import { analyseScopes, type Scopes } from './scopes.js';

/** A parsed file, with what all rules need of it. */
export interface SourceFile {
  name: string;
  chunk: Chunk;
  parents: ReadonlyMap<Node, Node>;
  /** All nodes, a parent before its children. */
  nodes: readonly Node[];
  scopes: Scopes;
  calls: readonly Call[];
  callAt: ReadonlyMap<Node, Call>;
  /** What is assigned to members of tables, by the member's name: `function M.f() … end`, `M.f = …`. */
  members: ReadonlyMap<string, readonly MemberValue[]>;
  /** Where the names of constants stand that are declared: "line:column". */
  constants: ReadonlySet<string>;
}

export function toSourceFile(
  name: string,
  { chunk, constants }: { chunk: Chunk; constants: ReadonlySet<string> },
): SourceFile {
  const parents = new Map<Node, Node>();
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    nodes.push(node);
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child);
    }
  };
  visit(chunk);
  const scopes = analyseScopes(chunk);
  const calls = readCalls(nodes, parents, scopes);
  const callAt = new Map(calls.map((call) => [call.node, call]));
  return { name, chunk, parents, nodes, scopes, calls, callAt, members: readMembers(nodes), constants };
}

interface MemberValue {
  /** The table: `M`. */
  base: Expression;
  value: Expression;
}

/** What the nodes of a file assign to members of tables, by the member's name. */
function readMembers(nodes: readonly Node[]): Map<string, MemberValue[]> {
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
