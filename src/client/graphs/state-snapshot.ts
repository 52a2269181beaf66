import { defined, jsonAs, type JsonValue } from '../../contract/json/json.js';
import type { SavedCheckpoint } from './saved-checkpoint.js';
import type { FailedNode, GraphSnapshot, Interrupt } from '../../contract/graphs/super-step.js';

/**
 * A thread as it stands after a super-step: a reading of the log of its run. `metadata.source` is `input`, `loop`, or `interrupted`: the
 * super-step is under way, and a node of it waits. `metadata.writes` has what each node wrote, by its name, and `nextTasks` the nodes of
 * the next super-step; of an interrupted one, those that have not ended.
 */
export interface StateSnapshot<V = Record<string, unknown>> extends SavedCheckpoint<V> {
  /** Waits of the nodes of this super-step, in the order of the plan. */
  interrupts: Interrupt[];
  /** Of an interrupted super-step, nodes that have failed: the turn fails when the others have ended. Left out where none has. */
  failed?: FailedNode[];
  /** The same as `values`. */
  state_values: V;
  /** The same as `nextTasks`. */
  pending_tasks: string[];
  /** Of each node that has run, the versions of the channels that it was given last. */
  versions_seen: Record<string, Record<string, number>>;
}

export function toStateSnapshot<V>(snapshot: GraphSnapshot): StateSnapshot<V> {
  const { metadata, interrupts, versions_seen, next_tasks } = snapshot;
  // What the types of a graph say of its channels is what its nodes and reducers were made to give.
  const values = jsonAs<V & JsonValue>(snapshot.values);
  return {
    values,
    metadata,
    checkpointId: snapshot.checkpoint_id,
    ...defined({ parentCheckpointId: snapshot.parent_checkpoint_id ?? undefined }),
    createdAt: new Date(snapshot.created_at),
    nextTasks: next_tasks,
    interrupts,
    ...defined({ failed: snapshot.failed }),
    state_values: values,
    pending_tasks: next_tasks,
    versions_seen,
  };
}

/** What all nodes of a super-step wrote: of each channel, what was written last in the order of the plan. */
export function joinedWrites<V>({ metadata: { writes } }: Pick<StateSnapshot, 'metadata'>): Partial<V> {
  return Object.assign({}, ...Object.values(writes)) as Partial<V>;
}

/** Reads the checkpoints of threads. */
export interface CheckpointReader<V = Record<string, unknown>> {
  /** The last one; null: there is no such thread. */
  getCheckpoint(threadId: string): Promise<StateSnapshot<V> | null>;
  getCheckpointById(threadId: string, checkpointId: string): Promise<StateSnapshot<V> | null>;
  /** The oldest first. */
  getCheckpointHistory(threadId: string): Promise<StateSnapshot<V>[]>;
  /** The same as `getCheckpoint`. */
  get(threadId: string): Promise<StateSnapshot<V> | null>;
  /** The same as `getCheckpointHistory`. */
  getHistory(threadId: string): Promise<StateSnapshot<V>[]>;
}
