import { childrenOf, type Expression, type LogicalExpression } from '../validation/syntax/ast.js';
import { isCallNode } from '../validation/syntax/calls.js';
import { drawCall } from './calls.js';
import type { Exit } from './canvas.js';
import { does, labelled, type Drawing } from './drawing.js';

/** What an expression does, in the order in which Lua evaluates it. */
export function drawExpression(drawing: Drawing, node: Expression, exits: Exit[]): Exit[] {
  if (exits.length === 0 || node.type === 'FunctionDeclaration') return exits;
  if (node.type === 'LogicalExpression' && does(drawing, node.right))
    return drawLogical(drawing, node, exits);
  if (isCallNode(node)) return drawCall(drawing, node, exits);
  return childrenOf(node).reduce<Exit[]>(
    (ways, child) => drawing.expression(child as Expression, ways),
    exits,
  );
}

/** `a and b`, `a or b`: whether b is evaluated is a decision. */
function drawLogical(drawing: Drawing, node: LogicalExpression, exits: Exit[]): Exit[] {
  const ways = drawing.expression(node.left, exits);
  if (ways.length === 0) return ways;
  const decision = drawing.canvas.node(
    'decision',
    `${drawing.text(node.left)}?`,
    drawing.place(node.left),
    ways,
  );
  const [goesOn, skips] = node.operator === 'and' ? ['yes', 'no'] : ['no', 'yes'];
  return [...drawing.expression(node.right, [labelled(decision, goesOn)]), labelled(decision, skips)];
}
