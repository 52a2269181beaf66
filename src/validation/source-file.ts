import type { Chunk, Node } from 'luaparse';
import { childrenOf } from './ast.js';
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
}

export function toSourceFile(name: string, chunk: Chunk): SourceFile {
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
  return { name, chunk, parents, nodes, scopes, calls: readCalls(nodes, parents, scopes) };
}
