import { isCall, within, type Node } from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { argumentsOf, isCallNode } from '../syntax/calls.js';
import { effectAt, effectOf } from '../program/effects.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';

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
      'condition' in clause && clause.body.some((each) => leaves(each, loop, parents))
        ? [clause.condition]
        : [],
    ),
  ];
}

function leaves(statement: Node, loop: Loop, parents: Parents): boolean {
  return [...within(statement)].some(
    (node) =>
      (node.type === 'BreakStatement' && loopAround(node, parents) === loop) ||
      node.type === 'ReturnStatement' ||
      node.type === 'GotoStatement' ||
      (isCallNode(node) && node.base.type === 'Identifier' && node.base.name === 'error'),
  );
}

function loopAround(node: Node, parents: Parents): Node | undefined {
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
