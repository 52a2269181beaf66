import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import {
  childrenOf,
  lineOf,
  type Chunk,
  type Expression,
  type FunctionDeclaration,
  type LogicalExpression,
  type Node,
  type Statement,
} from '../validation/syntax/ast.js';
import type { Declared } from '../validation/program/declared.js';
import { effectOf } from '../validation/program/effects.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { valueOf } from '../validation/syntax/value-of.js';
import { isCallNode } from '../validation/syntax/calls.js';
import {
  does,
  labelled,
  newFrame,
  type Canvas,
  type Drawing,
  type Exit,
  type Frame,
  type Place,
} from './canvas.js';
import type { Reach } from './reach.js';
import { drawBlock } from './statements.js';
import { short, sourceText } from './labels.js';
import { drawCall, drawEffect } from './calls.js';

export interface Parts extends Pick<Drawing, 'canvas' | 'program' | 'reach' | 'modelOf' | 'link'> {
  /** Is told of functions that are drawn where they are called. */
  inlined(body: FunctionDeclaration): void;
}

/** A function, or the top of a script, from its start to its ends. Gives the node that it starts with. */
export function drawFunction(
  parts: Parts,
  { body, file, label }: { body: FunctionDeclaration | Chunk; file: SourceFile; label: string },
): string {
  const drawing = new FunctionDrawing(parts, file, newFrame(null));
  const { canvas } = parts;
  const start = canvas.node('start', label, drawing.place(body), []);
  const ways = drawing.block(body.body, [start]);
  if (ways.length > 0) canvas.node('end', 'end', { file: file.name, line: body.loc?.end.line ?? 1 }, ways);
  return start.from;
}

class FunctionDrawing implements Drawing {
  readonly canvas: Canvas;
  readonly program: AnalysedProgram;
  readonly reach: Reach;
  readonly modelOf: (agent: Declared) => string;
  readonly link: Drawing['link'];

  constructor(
    private readonly parts: Parts,
    readonly file: SourceFile,
    readonly frame: Frame,
  ) {
    ({ canvas: this.canvas, program: this.program, reach: this.reach } = parts);
    ({ modelOf: this.modelOf, link: this.link } = parts);
  }

  place = (node: Node): Place => ({ file: this.file.name, line: lineOf(node) });

  text = (node: Node, longest?: number): string =>
    short(sourceText(node, this.program.source.files[this.file.name] ?? ''), longest);

  block(statements: readonly Statement[], exits: Exit[]): Exit[] {
    return drawBlock(this, statements, exits);
  }

  expression(node: Expression, exits: Exit[]): Exit[] {
    return drawExpression(this, node, exits);
  }

  asks(called: Expression): boolean {
    return effectOf(called, [], this.file, this.program) !== null;
  }

  inline(called: Expression, exits: Exit[]): Exit[] {
    if (called.type === 'FunctionDeclaration') {
      if (!this.reach.does(called, this.file) && !this.reach.raisesIn(called, this.file)) return exits;
      this.parts.inlined(called);
      const returns: Exit[] = [];
      const ways = new FunctionDrawing(this.parts, this.file, newFrame(returns)).block(called.body, exits);
      return [...ways, ...returns];
    }
    const effect = effectOf(called, [], this.file, this.program);
    if (effect !== null) return drawEffect(this, called, effect, exits);
    const value = valueOf(called, this.file, this.program);
    if (value?.kind !== 'function' || !this.reach.does(value.body, value.file)) return exits;
    const call = this.canvas.node('call', this.text(called), this.place(called), exits);
    this.link(call, { function: value });
    return [call];
  }
}

/** What an expression does, in the order in which Lua evaluates it. */
function drawExpression(drawing: Drawing, node: Expression, exits: Exit[]): Exit[] {
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
