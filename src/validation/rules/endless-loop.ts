import { isCall, within, type Node } from '../syntax/ast.js';
import type { Rule } from '../rule.js';

/** `while true do` that neither ends nor calls anything: it can only use up the instructions of the run. */
export const endlessLoop: Rule = {
  code: 'endless_loop',
  severity: 'warning',
  *check(file) {
    for (const node of file.nodes) {
      if (node.type !== 'WhileStatement' && node.type !== 'RepeatStatement') continue;
      const always = node.type === 'WhileStatement' ? isTrue(node.condition) : isFalse(node.condition);
      if (!always || node.body.some((statement) => leaves(statement, true))) continue;
      yield { node, message: 'This loop never ends', suggestion: 'add a condition, or a break' };
    }
  },
};

function isTrue(node: Node): boolean {
  return node.type === 'BooleanLiteral' ? node.value : node.type === 'NumericLiteral';
}

function isFalse(node: Node): boolean {
  return node.type === 'NilLiteral' || (node.type === 'BooleanLiteral' && !node.value);
}

/** Whether something in it can leave the loop. A call may raise an error, wait, or yield. */
function leaves(statement: Node, isOwnBreak: boolean): boolean {
  for (const node of within(statement, false)) {
    if (node.type === 'ReturnStatement' || node.type === 'GotoStatement' || isCall(node)) return true;
    if (isOwnBreak && node.type === 'BreakStatement') return true;
  }
  return false;
}
