import type { Node } from 'luaparse';
import type { AnalysedProgram } from './analysed-program.js';
import { isWithin } from './ast.js';
import { isCallNode } from './calls.js';
import type { SourceFile } from './source-file.js';

const functions =
  /^(Human\.(?!notify)\w+|Sleep|File\.\w+|[Pp]rocedure\.(run|spawn|wait\w*|defer|await_children)|Retry\.with_backoff|Parallel(\.map)?|checkpoint|Step\.checkpoint|step|Agent\.run|Host\.call)$/;

/** Calls below a node that ask something of the outside, or leave a record. */
export function effectsWithin(outer: Node, file: SourceFile, { declared, globals }: AnalysedProgram): Node[] {
  const known = file.calls.filter(
    ({ callee, node }) =>
      functions.test(callee) && !globals.has(callee) && isWithin(node, outer, file.parents),
  );
  const handles = file.nodes.filter((node) => {
    if (!isCallNode(node) || !isWithin(node, outer, file.parents)) return false;
    const base = node.base.type === 'MemberExpression' ? node.base.base : node.base;
    const isTurn =
      node.base.type !== 'MemberExpression' || ['turn', 'predict'].includes(node.base.identifier.name);
    if (!isTurn || base.type !== 'Identifier') return false;
    const local = file.scopes.localOf(base);
    return declared.some(({ variable, local: held, name }) =>
      local === null ? variable?.name === base.name || name === base.name : held === local,
    );
  });
  return [...known.map(({ node }) => node), ...handles];
}
