import {
  fieldOf,
  listItems,
  stringValue,
  type CallExpression,
  type Expression,
  type Node,
  type StringCallExpression,
  type TableCallExpression,
} from '../validation/syntax/ast.js';
import { argumentsOf } from '../validation/syntax/source-file.js';
import { effectAt, type EffectCall } from '../validation/program/effects.js';
import { valueOf } from '../validation/syntax/value-of.js';
import { does, labelled, type Drawing, type Exit } from './canvas.js';
import type { FlowGroup, NodeKind } from './flow-graph.js';
import { calledGraph } from './written-graphs.js';
import { askedText, messageText } from './labels.js';
import { definitionOf } from '../contract/effects/effects.js';
import { getOwn } from '../contract/json/json.js';

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
  const graph = calledGraph(node.base, file, program);
  if (graph !== null) {
    const exit = canvas.node('call', `graph ${drawing.text(node.base)}`, drawing.place(node), before);
    drawing.link(exit, { graph });
    return [exit];
  }
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
    return drawAround(drawing, node, effect, exits, {
      kind: 'step',
      label: label === null ? 'step' : `step ${label}`,
      body: args[1],
      standIn: args[2]?.type === 'TableConstructorExpression' ? fieldOf(args[2], 'on_error') : undefined,
    });
  if (name === 'checkpoint' || name === 'Step.checkpoint')
    return drawAround(drawing, node, effect, exits, {
      kind: 'checkpoint',
      label: 'checkpoint',
      body: args[0],
    });
  if (name === 'Retry.with_backoff')
    return drawAround(drawing, node, effect, exits, {
      kind: 'retry',
      label: 'Retry.with_backoff',
      body: args[0],
    });
  if (/^Parallel(\.|$)/.test(name)) return drawParallel(drawing, node, effect, exits);
  return drawEffect(drawing, node, effect, exits);
}

interface Around {
  kind: FlowGroup['kind'];
  label: string;
  body: Expression | undefined;
  /** What is given, or called, when the function has failed; left out: nothing. */
  standIn?: Expression | undefined;
}

/** Draws a call as a group around what its function does, and what stands in for that behind it. */
function drawAround(
  drawing: Drawing,
  node: CallNode,
  effect: EffectCall,
  exits: Exit[],
  { kind, label, body, standIn }: Around,
): Exit[] {
  const hasStandIn = standIn !== undefined && isFunction(standIn) && runsSomething(drawing, standIn);
  const failed = (from: string): Exit[] =>
    standIn === undefined ? [] : [{ from, kind: 'error', label: 'error' }];
  const after = (ways: Exit[]): Exit[] => (hasStandIn ? drawing.inline(standIn, ways) : ways);
  if (body === undefined || !runsSomething(drawing, body)) {
    const ways = drawEffect(drawing, node, effect, exits);
    return hasStandIn ? [...ways, ...after(ways.flatMap(({ from }) => failed(from)))] : ways;
  }
  let caught: Exit[] = [];
  const ways = drawing.canvas.grouped(kind, label, drawing.place(node), (group) => {
    caught = failed(group);
    return drawing.inline(body, exits);
  });
  return [...ways, ...after(caught)];
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
      return canvas.grouped('branch', branch, drawing.place(body), (group) => [
        ...drawing.inline(body, [isMap ? labelled(fork, 'each') : fork]),
        ...(name === 'Parallel.all_settled' ? [{ from: group, kind: 'error', label: 'error' } as const] : []),
      ]);
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

/** One node for one effect, led to what it runs. */
export function drawEffect(drawing: Drawing, node: Node, effect: EffectCall, exits: Exit[]): Exit[] {
  const { canvas } = drawing;
  const exit = canvas.node(kindOf(effect), labelOf(drawing, effect), drawing.place(node), exits);
  const { declared, name, args } = effect;
  if (declared !== null) drawing.link(exit, { declared });
  const runs = /^[Pp]rocedure\.(run|spawn)$/.test(name) ? stringValue(args[0]) : null;
  if (runs !== null) drawing.link(exit, { runs });
  return [exit];
}

/** How records are drawn that ask for nothing outside; what isn't named is a checkpoint. */
const records: Readonly<Record<string, NodeKind>> = {
  notify: 'human',
  host: 'host',
  retry: 'retry',
  step: 'step',
};

function kindOf({ kind, effect }: EffectCall): NodeKind {
  if (kind === 'classifier' || kind === 'module') return 'model';
  if (kind === 'retriever') return definitionOf('retrieve').drawn;
  if (kind !== 'primitive') return kind;
  return definitionOf(effect ?? '')?.drawn ?? getOwn(records, effect ?? '') ?? 'checkpoint';
}

function labelOf(drawing: Drawing, effect: EffectCall): string {
  const { kind, name, declared, args } = effect;
  const [first] = args;
  if (kind === 'agent')
    return `agent ${name} · ${declared === null ? 'not declared' : drawing.modelOf(declared)}`;
  if (kind === 'classifier') return `classifier ${name}`;
  if (kind === 'model') return `model ${name}${written(declared, 'type')}`;
  if (kind === 'retriever') return `retriever ${name}${written(declared, 'retriever_id')}`;
  if (kind === 'module') return `module ${name}${written(declared, 'strategy')}`;
  if (kind !== 'primitive') return `${kind} ${name}`;
  const said =
    name.startsWith('Human.') || name === 'Agent.run' ? askedText(first) : argumentText(drawing, first);
  const what = name.replace(/^tactus\./, '');
  if (said === null) return what;
  return name.startsWith('Human.') ? `${what}: ${said}` : `${what} ${said}`;
}

function argumentText(drawing: Drawing, first: Expression | undefined): string | null {
  if (first === undefined || first.type === 'FunctionDeclaration') return null;
  if (first.type === 'TableConstructorExpression') return messageText(fieldOf(first, 'key', 'path', 'name'));
  return messageText(first) ?? drawing.text(first);
}

/** What a declaration says of itself. */
function written(declared: EffectCall['declared'], key: string): string {
  const text = stringValue(fieldOf(declared?.config ?? null, key));
  return text === null ? '' : ` · ${text}`;
}
