import type { EdgeKind, FlowEdge, FlowGraph, FlowGroup, FlowNode, NodeKind } from './flow-graph.js';

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
