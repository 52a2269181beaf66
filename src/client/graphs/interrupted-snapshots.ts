import {
  comparePositions,
  isWithin,
  outerPosition,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import {
  snapshotOf,
  type FailedNode,
  type GraphSnapshot,
  type GraphState,
  type Interrupt,
  type NodeResult,
  type SuperStepResult,
} from '../../contract/graphs/super-step.js';
import { isObject, jsonAs, type JsonObject } from '../../contract/json/json.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';

/** A super-step, and what it goes on from. */
export interface UnderWay {
  position: Position;
  before: { state: GraphState; result: SuperStepResult };
}

/** A question to people inside of a super-step. */
interface Wait {
  position: Position;
  /** In ms since 1970; null: it is open. */
  from: number;
  until: number | null;
  asked: Omit<Interrupt, 'node'>;
}

/** A node that has ended. */
interface Ended {
  at: number;
  /** null: it failed. */
  writes: JsonObject | null;
  error: string | null;
}

/** What the log of a run has of waits and ends in super-steps. */
export class Interruptions {
  private readonly waits = new Map<Position, Wait[]>();
  private readonly ends = new Map<Position, Map<number, Ended>>();

  /** @param isStep whether there is a super-step at a position, or may be one under way */
  constructor(
    private readonly runId: string,
    entries: readonly LogEntryView[],
    pending: readonly HumanRequest[],
    private readonly isStep: (position: Position) => boolean,
  ) {
    for (const entry of entries) {
      if (entry.type === 'graph_node') this.addEnd(entry);
      if (entry.type.startsWith('hitl_')) this.addWait(answeredWait(runId, entry));
    }
    for (const request of pending) this.addWait(openWait(runId, request));
  }

  /**
   * The super-step as it stood whenever one of its nodes waited, the oldest first: what is the same, and only that, has the same id.
   * The first one is a child of the super-step before, each other one of the one before it.
   */
  of({ position, before }: UnderWay): GraphSnapshot[] {
    const waits = (this.waits.get(position) ?? []).sort((a, b) => comparePositions(a.position, b.position));
    if (waits.length === 0) return [];
    const ends = this.ends.get(position) ?? new Map<number, Ended>();
    const times = [
      ...waits.flatMap(({ from, until }) => [from, until]),
      ...[...ends.values()].map(({ at }) => at),
    ];
    const moments = [...new Set(times.filter((time) => time !== null))].sort((a, b) => a - b);
    const snapshots: GraphSnapshot[] = [];
    let parent = before.state.checkpoint_id;
    for (const moment of moments) {
      const snapshot = this.at(moment, { position, before }, { waits, ends, parent });
      if (snapshot === null) continue;
      parent = snapshot.checkpoint_id;
      snapshots.push(snapshot);
    }
    return snapshots;
  }

  private at(
    moment: number,
    { position, before: { state, result } }: UnderWay,
    { waits, ends, parent }: { waits: readonly Wait[]; ends: ReadonlyMap<number, Ended>; parent: string },
  ): GraphSnapshot | null {
    const open = waits.filter(({ from, until }) => from <= moment && (until === null || until > moment));
    if (open.length === 0) return null;
    const answered = waits.filter(({ until }) => until !== null && until <= moment);
    const writes: Record<string, JsonObject> = {};
    const next: string[] = [];
    const interrupts: Interrupt[] = [];
    const failed: FailedNode[] = [];
    const names: string[] = [];
    for (const [branch, node] of state.next_tasks.entries()) {
      const end = ends.get(branch);
      const hasEnded = end !== undefined && end.at <= moment;
      if (hasEnded && end.writes !== null) {
        writes[node] = end.writes;
        continue;
      }
      next.push(node);
      if (hasEnded) failed.push({ node, error: end.error ?? '' });
      const own = open.filter((wait) => branchOf(position, wait.position) === branch);
      interrupts.push(...own.map(({ asked }) => ({ node, ...asked })));
      const before = answered.filter((wait) => branchOf(position, wait.position) === branch).length;
      const at = own.map((wait) => wait.position.slice(`${position}.0.`.length)).join('+') || `${branch}`;
      names.push(`${at}${hasEnded ? '-failed' : ''}${before === 0 ? '' : `-after-${before}`}`);
    }
    const under: SuperStepResult = {
      ...result,
      ...{ source: 'loop', ran: state.next_tasks, writes, interrupts, parent_checkpoint_id: parent },
      created_at: new Date(moment).toISOString(),
    };
    const checkpointId = `${this.runId}/${position}~${names.join(',')}`;
    const snapshot = snapshotOf(
      { ...state, step: state.step + 1, next_tasks: next, checkpoint_id: checkpointId },
      under,
    );
    return {
      ...snapshot,
      metadata: { ...snapshot.metadata, source: 'interrupted' },
      ...(failed.length === 0 ? {} : { failed }),
    };
  }

  private addWait(wait: Wait): void {
    for (const step of this.stepsAround(wait.position))
      this.waits.set(step, [...(this.waits.get(step) ?? []), wait]);
  }

  private addEnd({ position, status, result, error, timestamp }: LogEntryView): void {
    // A super-step has its branches in its first frame, and a node is the first frame of its branch.
    const step = outerPosition(outerPosition(outerPosition(position)));
    const branch = branchOf(step, position);
    const hasFailed = status === 'failed';
    if (branch === null || !this.isStep(step) || !(hasFailed || isObject(result))) return;
    const ends = this.ends.get(step) ?? new Map<number, Ended>();
    const writes = isObject(result) ? jsonAs<NodeResult>(result).writes : null;
    this.ends.set(step, ends.set(branch, { at: Date.parse(timestamp), writes, error }));
  }

  private stepsAround(position: Position): Position[] {
    const around: Position[] = [];
    for (let at = position; at !== ''; at = outerPosition(at)) if (this.isStep(at)) around.push(at);
    return around.filter((step) => branchOf(step, position) !== null);
  }
}

/** The branch of a super-step that a position is in. */
function branchOf(step: Position, position: Position): number | null {
  const branches = `${step}.0`;
  if (!isWithin(position, branches) || position === branches) return null;
  return Number(position.slice(branches.length + 1).split('.')[0]);
}

function openWait(runId: string, { id, message, context, created_at }: HumanRequest): Wait {
  return {
    position: id.slice(runId.length + 1),
    from: Date.parse(created_at),
    until: null,
    asked: { reason: message, payload: context, request: id },
  };
}

function answeredWait(runId: string, { position, name, input, timestamp, duration_ms }: LogEntryView): Wait {
  const until = Date.parse(timestamp);
  const { message = name, context = null } = isObject(input) ? input : {};
  const reason = typeof message === 'string' ? message : name;
  const asked = { reason, payload: context, request: `${runId}/${position}` };
  return { position, from: until - duration_ms, until, asked };
}
