import { functionAround, type ReturnStatement } from './ast.js';
import type { ProcedureScope } from '../program/procedure-scope.js';

/** The `return`s that end a procedure: not those of functions within it. */
export function returnsOf({ body, file }: ProcedureScope): ReturnStatement[] {
  const own = body.type === 'Chunk' ? null : body;
  return file.nodes.filter(
    (node): node is ReturnStatement =>
      node.type === 'ReturnStatement' && functionAround(node, file.parents) === own,
  );
}
