/** What a node stands for. */
export type NodeKind =
  | 'start'
  | 'end'
  | 'return'
  | 'error'
  | 'decision'
  | 'loop'
  | 'label'
  | 'call'
  | 'agent'
  | 'tool'
  | 'toolset'
  | 'model'
  | 'human'
  | 'checkpoint'
  | 'step'
  | 'procedure'
  | 'graph_node'
  | 'wait'
  | 'parallel'
  | 'retry'
  | 'sleep'
  | 'file'
  | 'host'
  | 'http';

export interface FlowNode {
  id: string;
  kind: NodeKind;
  /** One line; as long as the source has it, up to some 200 characters. */
  label: string;
  file: string;
  line: number;
  /** The group that it stands in; null outside of all. */
  group: string | null;
}

/**
 * `flow`: what comes next; `back`: the next round of a loop; `error`: where an error leads that `pcall` catches;
 * `call`: what a call runs; `tools`: what an agent may call, and what a toolset holds; `before`: a task that another
 * depends on.
 */
export type EdgeKind = 'flow' | 'back' | 'error' | 'call' | 'tools' | 'before';

export interface FlowEdge {
  /** A node, or for errors a group. */
  from: string;
  to: string;
  kind: EdgeKind;
  label: string | null;
}

/** Nodes that belong together: a function, a graph that runs in super-steps, a task, a step, a branch, what `pcall` protects. */
export interface FlowGroup {
  id: string;
  kind:
    | 'procedure'
    | 'task'
    | 'function'
    | 'graph'
    | 'tool'
    | 'step'
    | 'checkpoint'
    | 'retry'
    | 'parallel'
    | 'branch'
    | 'pcall'
    | 'agents';
  label: string;
  file: string;
  line: number;
  group: string | null;
}

export interface FlowGraph {
  nodes: FlowNode[];
  edges: FlowEdge[];
  groups: FlowGroup[];
}
