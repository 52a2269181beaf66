import { childrenOf, type Chunk, type Node } from './ast.js';
import { readCalls, type Call } from './calls.js';
import { readMembers, type MemberValue } from './members.js';
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
