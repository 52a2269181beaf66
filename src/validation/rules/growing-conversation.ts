import {
  fieldOf,
  isCall,
  isWithin,
  within,
  type Node,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { argumentsOf, isCallNode, type CallNode } from '../syntax/calls.js';
import type { Declared } from '../program/declared.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { valueOf } from '../syntax/value-of.js';

/** So many rounds are a conversation. */
const fewRounds = 10;

/** Calls by which the author keeps conversations short. */
const shortening = /^MessageHistory\.(clear|reset|replace|keep_\w+|rewind\w*)$/;

/** A turn in a loop: each is sent all that was said in those before, so that the hundredth costs a hundred times as much. */
export const growingConversation: Rule = {
  code: 'growing_conversation',
  severity: 'warning',
  *check(file, program) {
    if (program.files.some(isKeptShort)) return;
    for (const node of file.nodes) {
      if (!isCallNode(node)) continue;
      const agent = agentOf(node, file, program);
      if (agent === null || saysHowMuch(agent.config) || saysHowMuch(optionsOf(node))) continue;
      const loop = loopAround(node, file);
      if (loop === null || isWithin(agent.call.node, loop, agent.file.parents)) continue;
      yield {
        node,
        message: `${agent.name ?? agent.variable?.name ?? 'The agent'} is sent all that was said in the rounds before, which grows with each`,
        suggestion:
          'give the agent message_history = { mode = "isolated" } where rounds have nothing to do with each other, else filter = filters.last_n(20)',
      };
    }
  },
};

function agentOf(node: CallNode, file: SourceFile, program: AnalysedProgram): Declared | null {
  const { base } = node;
  const isTurn = base.type === 'MemberExpression' && base.identifier.name === 'turn';
  const value = valueOf(isTurn ? base.base : base, file, program);
  return value?.kind === 'declared' && value.declared.kind === 'agent' ? value.declared : null;
}

function optionsOf(node: CallNode): TableConstructorExpression | null {
  const [first] = argumentsOf(node);
  return first?.type === 'TableConstructorExpression' ? first : null;
}

function saysHowMuch(table: TableConstructorExpression | null): boolean {
  return fieldOf(table, 'message_history', 'session', 'filter', 'context') !== undefined;
}

/** Of an agent, or of the whole conversation; or a procedure that says how much is sent at most. */
function isKeptShort({ calls, nodes }: SourceFile): boolean {
  return (
    calls.some(({ callee }) => shortening.test(callee)) ||
    nodes.some(
      (node) =>
        (node.type === 'MemberExpression' && node.identifier.name === 'clear_history') ||
        (node.type === 'TableKeyString' && node.key.name === 'max_tokens' && isHistory(node, nodes)),
    )
  );
}

function isHistory(field: Node, nodes: readonly Node[]): boolean {
  return nodes.some(
    (node) =>
      node.type === 'TableKeyString' &&
      node.key.name === 'message_history' &&
      node.value.type === 'TableConstructorExpression' &&
      (node.value.fields as Node[]).includes(field),
  );
}

/** The loop whose rounds share a conversation: a branch has one of its own, and so begins what is asked in it. */
function loopAround(node: Node, { parents, callAt }: SourceFile): Node | null {
  for (let up = parents.get(node); up !== undefined; up = parents.get(up)) {
    if (isLongLoop(up)) return up;
    if (up.type !== 'FunctionDeclaration') continue;
    const taker = parents.get(up);
    // A function that is handed on is taken to be called where it stands.
    if (taker === undefined || !isCallNode(taker)) return null;
    if (/^Parallel(\.map)?$/.test(callAt.get(taker)?.callee ?? '')) return null;
  }
  return null;
}

function isLongLoop(node: Node): boolean {
  // An agent that works until it says that it is done, as `Tool.called("done")` tells, is to know what it did before.
  if (node.type === 'WhileStatement' || node.type === 'RepeatStatement')
    return ![...within(node.condition)].some(isCall);
  if (node.type === 'ForGenericStatement') return true;
  if (node.type !== 'ForNumericStatement') return false;
  const { start, end, step } = node;
  if (start.type !== 'NumericLiteral' || end.type !== 'NumericLiteral' || step !== null) return true;
  return end.value - start.value >= fewRounds;
}
