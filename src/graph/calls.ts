import {
  listItems,
  type CallExpression,
  type Expression,
  type StringCallExpression,
  type TableCallExpression,
} from '../validation/syntax/ast.js';
import { argumentsOf } from '../validation/syntax/calls.js';
import { effectAt, type EffectCall } from '../validation/program/effects.js';
import { valueOf } from '../validation/syntax/value-of.js';
import type { Exit } from './canvas.js';
import { does, labelled, type Drawing } from './drawing.js';
import { drawEffect } from './effect-nodes.js';
import type { FlowGroup } from './flow-graph.js';
import { messageText } from './texts.js';

type CallNode = CallExpression | TableCallExpression | StringCallExpression;

/** A call, after what its arguments do. */
export function drawCall(drawing: Drawing, node: CallNode, exits: Exit[]): Exit[] {
  const { canvas, file, program, reach } = drawing;
  if (reach.isDeclaration(node, file)) return exits;
  const callee = file.callAt.get(node)?.callee;
  const args = argumentsOf(node);
  const before = [node.base, ...args].reduce<Exit[]>((ways, each) => drawing.expression(each, ways), exits);
  if (before.length === 0) return before;
  const effect = effectAt(node, file, program);
  if (effect !== null) return drawAsked(drawing, node, effect, before);
  if (reach.raises(node, file)) {
    canvas.node('error', drawing.text(node), drawing.place(node), before);
    return [];
  }
  if (callee === 'pcall' || callee === 'xpcall') return drawProtected(drawing, node, args[0], before);
  const called = valueOf(node.base, file, program);
  if (called?.kind === 'function' && reach.does(called.body, called.file)) {
    const name = drawing.text(node.base);
    const call = canvas.node(
      'call',
      node.base.type === 'FunctionDeclaration' ? 'function' : name,
      drawing.place(node),
      before,
    );
    drawing.link(call, { function: called });
    return [call];
  }
  return args.reduce<Exit[]>((ways, each) => (isFunction(each) ? drawing.inline(each, ways) : ways), before);
}

function isFunction({ type }: Expression): boolean {
  return type === 'FunctionDeclaration' || type === 'Identifier' || type === 'MemberExpression';
}

/** Effects that run functions are groups of what these do. */
function drawAsked(drawing: Drawing, node: CallNode, effect: EffectCall, exits: Exit[]): Exit[] {
  const { name, args } = effect;
  if (effect.kind !== 'primitive') return drawEffect(drawing, node, effect, exits);
  const label = messageText(args[0]);
  if (name === 'step')
    return drawAround(
      drawing,
      node,
      effect,
      'step',
      label === null ? 'step' : `step ${label}`,
      args[1],
      exits,
    );
  if (name === 'checkpoint' || name === 'Step.checkpoint')
    return drawAround(drawing, node, effect, 'checkpoint', 'checkpoint', args[0], exits);
  if (name === 'Retry.with_backoff')
    return drawAround(drawing, node, effect, 'retry', 'Retry.with_backoff', args[0], exits);
  if (name === 'Parallel' || name === 'Parallel.map') return drawParallel(drawing, node, effect, exits);
  return drawEffect(drawing, node, effect, exits);
}

function drawAround(
  drawing: Drawing,
  node: CallNode,
  effect: EffectCall,
  kind: FlowGroup['kind'],
  label: string,
  body: Expression | undefined,
  exits: Exit[],
): Exit[] {
  if (body === undefined || !runsSomething(drawing, body)) return drawEffect(drawing, node, effect, exits);
  return drawing.canvas.grouped(kind, label, drawing.place(node), () => drawing.inline(body, exits));
}

/** Whether there is something to draw in a function that is called here. */
function runsSomething(drawing: Drawing, called: Expression): boolean {
  const { file, reach } = drawing;
  if (called.type === 'FunctionDeclaration') return does(drawing, called) || reach.raisesIn(called, file);
  const value = valueOf(called, file, drawing.program);
  if (value?.kind === 'function') return reach.does(value.body, value.file);
  return drawing.asks(called);
}

function drawParallel(drawing: Drawing, node: CallNode, { name, args }: EffectCall, exits: Exit[]): Exit[] {
  const { canvas } = drawing;
  const place = drawing.place(node);
  const [first, second] = args;
  const isMap = name === 'Parallel.map';
  const bodies = isMap ? [second] : first?.type === 'TableConstructorExpression' ? listItems(first) : [];
  const label = isMap && first !== undefined ? `Parallel.map ${drawing.text(first)}` : name;
  return canvas.grouped('parallel', name, place, () => {
    const fork = canvas.node('parallel', label, place, exits);
    const ways = bodies.flatMap((body, i) => {
      if (body === undefined || !runsSomething(drawing, body)) return [];
      const branch = isMap ? 'each item' : `branch ${i + 1}`;
      return canvas.grouped('branch', branch, drawing.place(body), () =>
        drawing.inline(body, [isMap ? labelled(fork, 'each') : fork]),
      );
    });
    return ways.length === 0 ? [fork] : ways;
  });
}

/** What `pcall` protects, with the way that an error takes out of it. */
function drawProtected(
  drawing: Drawing,
  node: CallNode,
  body: Expression | undefined,
  exits: Exit[],
): Exit[] {
  if (body === undefined || !runsSomething(drawing, body)) return exits;
  const name = drawing.text(node.base);
  return drawing.canvas.grouped('pcall', name, drawing.place(node), (group) => [
    ...drawing.inline(body, exits),
    { from: group, kind: 'error', label: 'error' },
  ]);
}
