/** Rules about the turns of agents: conversations and calls of models without a limit. */
import {
  fieldOf,
  isCall,
  isWithin,
  type Node,
  type TableConstructorExpression,
  within,
} from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import type { Declared } from '../program/declared.js';
import type { Rule } from '../rule.js';
import { argumentsOf, isCallNode, type CallNode, type SourceFile } from '../syntax/source-file.js';
import { valueOf } from '../syntax/value-of.js';
import { effectAt, effectOf } from '../program/effects.js';

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
    if (/^Parallel(\.|$)/.test(callAt.get(taker)?.callee ?? '')) return null;
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

type Loop = Extract<Node, { type: 'WhileStatement' | 'RepeatStatement' }>;
type Parents = SourceFile['parents'];

const askingModels: readonly string[] = ['agent', 'model', 'classifier', 'module'];

/** What a person, an event or the clock paces doesn't run away. */
const pacing = /^(Human\.|Event\.|Sleep$|Procedure\.(defer|await_children))/;

/** Calls what it is given. */
const protectedCall = /^x?pcall$/;

/** Compares amounts, as a bound does. */
const amounts = new Set(['<', '>', '<=', '>=']);

/** Tells how often, or how much: `Iterations.exceeded(10)`, `Budget.left()`. */
const counting = /^(Iterations|Iteration|Budget)\./;

/** A loop that asks a model, round for round, for as long as the model's answers say: one that never says so costs without end. */
export const unboundedCalls: Rule = {
  code: 'unbounded_calls',
  severity: 'warning',
  *check(file, program) {
    if (program.files.some(hasBudget)) return;
    for (const loop of file.nodes) {
      if (loop.type !== 'WhileStatement' && loop.type !== 'RepeatStatement') continue;
      const inside = [...within(loop)];
      if (
        !inside.some((node) => asksModel(node, file, program)) ||
        inside.some((node) => isPaced(node, file))
      )
        continue;
      if (endsAnyway(loop) || conditionsOf(loop, inside, file.parents).some((each) => isBound(each, file)))
        continue;
      yield {
        node: loop,
        message: 'Nothing bounds this loop but what a model answers: each round is paid for',
        suggestion:
          'count the rounds (for i = 1, 20 do … end), or give the procedure or the agent a budget = { turns = 20 }',
      };
    }
  },
};

function hasBudget({ nodes }: SourceFile): boolean {
  return nodes.some((node) => node.type === 'TableKeyString' && node.key.name === 'budget');
}

function asksModel(node: Node, file: SourceFile, program: AnalysedProgram): boolean {
  if (!isCallNode(node)) return false;
  const [first, ...others] = argumentsOf(node);
  const isCaught = first !== undefined && protectedCall.test(file.callAt.get(node)?.callee ?? '');
  const effect = isCaught ? effectOf(first, others, file, program) : effectAt(node, file, program);
  return effect !== null && askingModels.includes(effect.kind);
}

function isPaced(node: Node, { callAt }: SourceFile): boolean {
  return isCall(node) && isCallNode(node) && pacing.test(callAt.get(node)?.callee ?? '');
}

/** Its last statement leaves it, whatever comes. */
function endsAnyway({ body }: Loop): boolean {
  const last = body.at(-1)?.type;
  return last === 'BreakStatement' || last === 'ReturnStatement';
}

/** That of the loop, and those that may lead out of it. */
function conditionsOf(loop: Loop, inside: readonly Node[], parents: Parents): Node[] {
  const inner = inside.flatMap((node) => (node.type === 'IfStatement' ? node.clauses : []));
  return [
    loop.condition,
    ...inner.flatMap((clause) =>
      'condition' in clause && clause.body.some((each) => leavesLoop(each, loop, parents))
        ? [clause.condition]
        : [],
    ),
  ];
}

function leavesLoop(statement: Node, loop: Loop, parents: Parents): boolean {
  return [...within(statement)].some(
    (node) =>
      (node.type === 'BreakStatement' && innermostLoop(node, parents) === loop) ||
      node.type === 'ReturnStatement' ||
      node.type === 'GotoStatement' ||
      (isCallNode(node) && node.base.type === 'Identifier' && node.base.name === 'error'),
  );
}

function innermostLoop(node: Node, parents: Parents): Node | undefined {
  let up = parents.get(node);
  while (up !== undefined && !/^(While|Repeat|For\w+)Statement$/.test(up.type)) up = parents.get(up);
  return up;
}

function isBound(condition: Node, { callAt }: SourceFile): boolean {
  return [...within(condition)].some(
    (node) =>
      (node.type === 'BinaryExpression' && amounts.has(node.operator)) ||
      (isCallNode(node) && counting.test(callAt.get(node)?.callee ?? '')),
  );
}
