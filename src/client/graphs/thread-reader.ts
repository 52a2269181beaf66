import type { GraphSnapshot } from '../../contract/graphs/super-step.js';
import { isObject } from '../../contract/json/json.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { LogEntryView, LogPage } from '../../contract/runs/run-view.js';
import type { TactusRun } from '../tactus-run.js';
import { graphView, type GraphView } from './graph-state.js';

/** What a thread looks like at a moment. */
export interface ThreadLook {
  /** Of the graph that is the thread, the oldest first; the last one may be interrupted. */
  snapshots: GraphSnapshot[];
  ledger: GraphView['ledger'];
  /** Open requests of the super-step that is under way. */
  open: Pick<HumanRequest, 'id' | 'created_at'>[];
  /** Nodes of the super-step wait, and no other one is left to end. */
  isInterrupted: boolean;
  /** Whether there is something new since the last look. */
  isNew: boolean;
}

/** Reads a thread again and again: of its log, each entry once. */
export class ThreadReader {
  private readonly entries: LogEntryView[] = [];
  private page: LogPage | null = null;
  private next = 0;

  constructor(private readonly run: TactusRun) {}

  async look(): Promise<ThreadLook> {
    const { runId } = this.run;
    const view = await this.run.status();
    const pending = view.pending_whole === false ? await this.run.pending() : view.pending;
    const isNew = this.page === null || view.checkpoints > this.next;
    if (isNew) await this.readOn();
    if (this.page === null) throw new Error(`the log of ${runId} was not read`);
    const { snapshots, ledger } = graphView({ ...this.page, execution_log: this.entries }, pending);
    const own = snapshots.filter(({ thread }) => thread === runId);
    const last = own.at(-1);
    const open = last === undefined ? [] : openIn(last, pending);
    const isInterrupted = last !== undefined && isStill(last, open);
    return { snapshots: own, ledger, open, isInterrupted, isNew };
  }

  private async readOn(): Promise<void> {
    const { first, items, next } = await this.run.logFrom(this.next);
    for (const entry of items) if (isOfGraph(entry)) this.entries.push(entry);
    this.page = { ...first, execution_log: [] };
    this.next = next;
  }

  /** When a node was first resumed by this key, as a moment of the log; null: none was. */
  resumedAt(key: string): string | null {
    const isAnswer = ({ result }: LogEntryView): boolean =>
      isObject(result) && result['comment'] === resumeComment(key);
    return this.entries.find(isAnswer)?.timestamp ?? null;
  }
}

/** By this the log tells which resume an answer came from. */
export function resumeComment(key: string): string {
  return `resumed: ${key}`;
}

function isOfGraph({ type }: LogEntryView): boolean {
  return type === 'super_step' || type === 'graph_node' || type === 'intent' || type.startsWith('hitl_');
}

function openIn({ metadata, interrupts }: GraphSnapshot, pending: readonly HumanRequest[]): HumanRequest[] {
  if (metadata.source !== 'interrupted') return [];
  const ids = interrupts.flatMap(({ request }) => request ?? []);
  return pending.filter(({ id }) => ids.includes(id));
}

/** An interrupted super-step of which each node waits for somebody, or has ended. What has been answered since is no wait. */
function isStill(
  { metadata, next_tasks: next, interrupts, failed = [] }: GraphSnapshot,
  open: readonly HumanRequest[],
): boolean {
  const still = [...interrupts, ...failed].map(({ node }) => node);
  const isOpen = open.length > 0 && open.length === interrupts.length;
  return metadata.source === 'interrupted' && isOpen && next.every((node) => still.includes(node));
}
