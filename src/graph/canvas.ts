import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import type { Declared } from '../validation/program/declared.js';
import type { Expression, Node, Statement } from '../validation/syntax/ast.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import type { EdgeKind, FlowEdge, FlowGraph, FlowGroup, FlowNode, NodeKind } from './flow-graph.js';
import type { FileFunction, Reach } from './reach.js';

/** A way that leads to whatever is drawn next. */
export interface Exit {
  from: string;
  kind: 'flow' | 'error';
  label: string | null;
}

export interface Place {
  file: string;
  line: number;
}

/** Takes nodes, edges and groups in the order in which they are drawn. */
export class Canvas implements FlowGraph {
  readonly nodes: FlowNode[] = [];
  readonly edges: FlowEdge[] = [];
  readonly groups: FlowGroup[] = [];
  private open: string | null = null;
  private readonly drawn = new Set<string>();

  /** A node that the exits lead to; its only way on. */
  node(kind: NodeKind, label: string, { file, line }: Place, exits: readonly Exit[]): Exit {
    const id = `n${this.nodes.length}`;
    this.nodes.push({ id, kind, label, file, line, group: this.open });
    this.lead(exits, id, 'flow');
    return { from: id, kind: 'flow', label: null };
  }

  lead(exits: readonly Exit[], to: string, kind: 'flow' | 'back'): void {
    for (const exit of exits) this.edge(exit.from, to, exit.kind === 'error' ? 'error' : kind, exit.label);
  }

  /** The same edge is drawn once. */
  edge(from: string, to: string, kind: EdgeKind, label: string | null): void {
    const key = JSON.stringify([from, to, kind, label]);
    if (this.drawn.has(key)) return;
    this.drawn.add(key);
    this.edges.push({ from, to, kind, label });
  }

  /** What is drawn meanwhile stands in a group of its own, within the one that is open. */
  grouped<T>(kind: FlowGroup['kind'], label: string, { file, line }: Place, draw: (id: string) => T): T {
    const id = `g${this.groups.length}`;
    const outer = this.open;
    this.groups.push({ id, kind, label, file, line, group: outer });
    this.open = id;
    try {
      return draw(id);
    } finally {
      this.open = outer;
    }
  }

  /** What is drawn meanwhile stands in no group. */
  apart<T>(draw: () => T): T {
    const outer = this.open;
    this.open = null;
    try {
      return draw();
    } finally {
      this.open = outer;
    }
  }
}

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

/** What a node runs: `graph` is the call that declares one. */
export type LinkTarget =
  { function: FileFunction } | { declared: Declared } | { graph: Node } | { runs: string };

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
  link(from: Exit, target: LinkTarget): void;
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
