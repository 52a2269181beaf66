import type { Expression, Node, Statement } from '../validation/syntax/ast.js';
import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import type { Declared } from '../validation/program/declared.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import type { Canvas, Exit, Place } from './canvas.js';
import type { FileFunction, Reach } from './reach.js';

/** Where control may go within one function. */
export interface Frame {
  /** Where a `return` gathers its ways; null where it is an end of its own. */
  returns: Exit[] | null;
  /** Ways that `break` has opened, of each loop around; the innermost is the last. */
  breaks: Exit[][];
  /** Nodes of the labels that can be seen, by name. */
  labels: Map<string, string>;
  /** Ways that `goto` has opened to labels further down. */
  pending: Map<string, Exit[]>;
}

/** The drawing of one function. All ways are handed in and out: no ways in, and nothing is drawn. */
export interface Drawing {
  canvas: Canvas;
  program: AnalysedProgram;
  file: SourceFile;
  reach: Reach;
  frame: Frame;
  /** The model of an agent, as people name it. */
  modelOf(agent: Declared): string;
  place(node: Node): Place;
  /** What stands in the source, in one line. */
  text(node: Node, longest?: number): string;
  block(statements: readonly Statement[], exits: Exit[]): Exit[];
  /** What an expression does, in the order in which it is evaluated. */
  expression(node: Expression, exits: Exit[]): Exit[];
  /** What happens in a function that is called here: one that is written here, or is named. */
  inline(called: Expression, exits: Exit[]): Exit[];
  /** Whether a handle or a primitive is named: what `pcall(agent, message)` calls. */
  asks(called: Expression): boolean;
  /** Has a function drawn on its own, and leads a node there. */
  link(from: Exit, target: { function: FileFunction } | { declared: Declared } | { runs: string }): void;
}

export function does(drawing: Drawing, node: Node): boolean {
  return drawing.reach.does(node, drawing.file);
}

export function labelled(from: Exit, label: string): Exit {
  return { ...from, label };
}

/** Where a function can be entered, with no ways open. */
export function newFrame(returns: Exit[] | null): Frame {
  return { returns, breaks: [], labels: new Map(), pending: new Map() };
}
