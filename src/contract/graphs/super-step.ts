import type { JsonObject, JsonValue } from '../json/json.js';

/** What a node tells the ledger: what is kept of a run for its readers, and not in its channels. */
export type LedgerEvent = { topic: string; key: string; data: JsonObject };

/** A message that a node wants sent. Other fields are its author's, and are sent with it. */
export type Intent = JsonObject & { type: string };

/** An intent of a super-step, under the key that a receiver knows it by; `from`: the node that left it, for people. */
export type KeyedIntent = { key: string; intent: Intent; from?: string };

/** A node that waited: for a person, or for whoever resumes the graph. */
export type Interrupt = {
  node: string;
  reason: string;
  payload: JsonValue;
  /** Id of the request; of interrupted super-steps alone. */
  request?: string;
};

/** A node that has failed, and with what. */
export type FailedNode = { node: string; error: string };

/** What one node gave. */
export type NodeResult = {
  writes: JsonObject;
  next: string[];
  ledger: LedgerEvent[];
  intents: Intent[];
  interrupts: Interrupt[];
};

/** A node of a super-step, as Temporal's Web UI shows it. */
export function nodeTitle(graph: string, step: number, node: string): string {
  return `${graph} step ${step} · ${node}`;
}

/** A super-step has its branches in its first frame, and a node is the first frame of its branch. */
export function nodePosition(step: string, index: number): string {
  return `${step}.0.${index}.0`;
}

/** A super-step that is under way. */
export type OpenSuperStep = {
  position: string;
  graph: string;
  step: number;
  /** In the order of the plan. */
  nodes: { node: string; isOpen: boolean }[];
};

/** How far the intents of a graph are sent. */
export type OutboxState = { sent: number; waiting: KeyedIntent[] };

/** All that goes from one super-step to the next. */
export type GraphState = {
  step: number;
  /** Of each channel. */
  values: JsonObject;
  /** Nodes of the next super-step, each once, in the order in which they were named. */
  next_tasks: string[];
  /** Of each channel, the super-step that wrote it last. */
  versions: Record<string, number>;
  /** Of each node that has run, the versions of the channels that it was given last. */
  versions_seen: Record<string, Record<string, number>>;
  checkpoint_id: string;
  outbox: OutboxState;
  /** Ids of the messages that began turns of the thread, the newest last; left out where none had one. */
  messages?: string[];
};

/** So many ids of messages a thread knows. */
export const mostMessages = 100;

/** What a super-step did, beside what the next one gets. */
export type SuperStepResult = {
  graph: string;
  thread: string;
  source: 'input' | 'loop';
  /** Nodes that ran, in the order of the plan. */
  ran: string[];
  /** Of each node. */
  writes: Record<string, JsonObject>;
  ledger: LedgerEvent[];
  intents: KeyedIntent[];
  interrupts: Interrupt[];
  parent_checkpoint_id: string | null;
  /** ISO 8601 in UTC. */
  created_at: string;
};

/** A graph after a super-step. */
export type GraphSnapshot = {
  values: JsonObject;
  metadata: {
    step: number;
    /** `interrupted`: the super-step is under way, and a node of it waits. */
    source: 'input' | 'loop' | 'interrupted';
    /** Of each node. */
    writes: Record<string, JsonObject>;
  };
  next_tasks: string[];
  checkpoint_id: string;
  /** Of the super-step before, or of the last time that this one was interrupted. */
  parent_checkpoint_id: string | null;
  /** ISO 8601 in UTC. */
  created_at: string;
  interrupts: Interrupt[];
  /** Of an interrupted super-step, nodes that have failed; left out where none has. The graph fails when the others have ended. */
  failed?: FailedNode[];
  versions: Record<string, number>;
  versions_seen: Record<string, Record<string, number>>;
  graph: string;
  thread: string;
};

export function snapshotOf(state: GraphState, result: SuperStepResult): GraphSnapshot {
  const { step, values, next_tasks, versions, versions_seen, checkpoint_id } = state;
  const { graph, thread, source, writes, interrupts, parent_checkpoint_id, created_at } = result;
  return {
    values,
    metadata: { step, source, writes },
    next_tasks,
    checkpoint_id,
    parent_checkpoint_id,
    created_at,
    interrupts,
    versions,
    versions_seen,
    graph,
    thread,
  };
}
