import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import {
  lineOf,
  type Chunk,
  type Expression,
  type FunctionDeclaration,
  type Node,
  type Statement,
} from '../validation/syntax/ast.js';
import type { Declared } from '../validation/program/declared.js';
import { effectOf } from '../validation/program/effects.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { valueOf } from '../validation/syntax/value-of.js';
import type { Canvas, Exit, Place } from './canvas.js';
import { newFrame, type Drawing, type Frame } from './drawing.js';
import { drawEffect } from './effect-nodes.js';
import { drawExpression } from './expressions.js';
import type { Reach } from './reach.js';
import { drawBlock } from './statements.js';
import { short, sourceText } from './texts.js';

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
