import type { Rule } from '../rule.js';
import { isCallNode } from '../syntax/calls.js';
import { literalKind } from '../syntax/literal-kind.js';

/** `Human.approve(…) == "yes"` is never true: an approval is a boolean. */
export const approvalCompared: Rule = {
  code: 'approval_compared',
  severity: 'warning',
  *check(file) {
    const approvals = file.calls.filter(({ callee }) => callee === 'Human.approve').map(({ node }) => node);
    const isApproval = (node: object): boolean => approvals.some((each) => each === node);
    const held = file.scopes.locals.filter(({ declared, writes }) => {
      const up = file.parents.get(declared);
      const value = up?.type === 'LocalStatement' ? up.init[up.variables.indexOf(declared)] : undefined;
      return writes.length === 0 && value !== undefined && isCallNode(value) && isApproval(value);
    });
    for (const node of file.nodes) {
      if (node.type !== 'BinaryExpression' || (node.operator !== '==' && node.operator !== '~=')) continue;
      const sides = [node.left, node.right];
      const approves = sides.some(
        (side) => isApproval(side) || held.some((local) => local === file.scopes.localOf(side)),
      );
      const compared = sides
        .map(literalKind)
        .find((kind) => kind !== null && kind !== 'boolean' && kind !== 'nil');
      if (approves && compared !== undefined)
        yield {
          node,
          message: 'Human.approve gives true or false: compared with anything else, it is never equal',
          suggestion: 'use it as a condition: if Human.approve(…) then',
        };
    }
  },
};
