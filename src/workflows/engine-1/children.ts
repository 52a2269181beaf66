import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  setHandler,
  startChild,
  type ChildWorkflowHandle,
  type Workflow,
} from '@temporalio/workflow';
import { isOutcome, type Outcome, type Position } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, type JsonValue } from '../../contract/json/json.js';
import { signalNames, workflowType } from '../../contract/names.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import type { Gate } from './inbox.js';
import { failedOutcome } from '../effects/outcomes.js';

interface ChildClosed {
  position: Position;
  outcome: Outcome;
}

const childClosed = defineSignal<[unknown]>(signalNames.childClosed);
const knock = defineSignal(signalNames.knock);

const firstKnockMs = 5_000;
const longestKnockMs = 86_400_000;

/**
 * The runs that this run waits for. They outlive it when it continues as new (default-policy children would be
 * terminated), so they are abandoned by policy, report to the run's id by signal, and are cancelled by us.
 */
export class Children {
  private starting = 0;
  /** Positions whose child this execution has started: the server tells it of their ends. */
  private readonly watched = new Set<Position>();
  /** Resolves with the end of each of them. */
  private readonly ends: Promise<void>[] = [];

  constructor(
    private readonly runId: string,
    /** Positions whose child was started before. */
    readonly running: Set<Position>,
    /** How children ended of which the procedure hasn't been told. */
    readonly outcomes: Record<Position, Outcome>,
    private readonly gate: Gate,
  ) {
    setHandler(childClosed, (closed: unknown) => {
      if (isChildClosed(closed)) this.note(closed.position, closed.outcome);
      else log.warn('A signal is no report of a child run and was ignored');
    });
    // Only to be heard: the server tells whoever knocks at a closed run.
    setHandler(knock, () => undefined);
  }

  /** @throws TactusError child_failed with the child's own message */
  async run(position: Position, start: StartInput): Promise<JsonValue> {
    const workflowId = `${this.runId}/${position}`;
    if (!this.running.has(position)) {
      this.running.add(position);
      this.watch(position, await this.start(position, workflowId, start));
    } else {
      this.knockAt(position).catch(() => undefined); // cancelled with the wait itself
    }
    await condition(() => getOwn(this.outcomes, position) !== undefined);
    const outcome = getOwn(this.outcomes, position) as Outcome;
    if (!outcome.ok)
      throw new TactusError('child_failed', `Procedure.run: ${workflowId} failed: ${outcome.message}`);
    return outcome.value;
  }

  /** Starts a run that nobody waits for yet; gives its id when it has begun. */
  async spawn(position: Position, start: StartInput): Promise<string> {
    const workflowId = `${this.runId}/${position}`;
    if (this.running.has(position)) return workflowId;
    this.running.add(position);
    this.watch(position, await this.start(position, workflowId, start));
    return workflowId;
  }

  /** Ids of the child runs that are under way. */
  get open(): string[] {
    return [...this.running]
      .filter((position) => !this.hasEnded(position))
      .map((position) => this.idOf(position));
  }

  /** Whether it is a child of this run, of whose end the procedure hasn't been told. */
  isOwn(id: string): boolean {
    return this.running.has(this.positionOf(id));
  }

  /** How a child ended; null as long as it goes on. */
  outcomeOf(id: string): Outcome | null {
    return getOwn(this.outcomes, this.positionOf(id)) ?? null;
  }

  /** The procedure has been told how a child ended. */
  forgetRun(id: string): void {
    this.forget(this.positionOf(id));
  }

  /** Cancels a child that the procedure wants no longer; who else waits for it goes on. Gives how it has ended. */
  async cancelRun(id: string): Promise<Outcome> {
    const position = this.positionOf(id);
    const known = this.outcomeOf(id);
    if (known !== null) return known;
    const outcome: Outcome = { ok: false, code: 'cancelled', message: `${id} was cancelled` };
    if (!this.running.has(position)) return outcome;
    this.note(position, outcome);
    await this.requestCancel(position);
    return outcome;
  }

  /** Finds out, once or until they have ended, whether children are still there that an earlier execution started. */
  async seek(ids: readonly string[], once: boolean): Promise<void> {
    const positions = ids.map((id) => this.positionOf(id));
    const unwatched = positions.filter(
      (position) => this.running.has(position) && !this.watched.has(position),
    );
    await Promise.all(
      unwatched.map((position) => (once ? this.knockOnce(position) : this.knockAt(position))),
    );
  }

  private idOf(position: Position): string {
    return `${this.runId}/${position}`;
  }

  /** Of an id that is no child's, a position that no child has. */
  private positionOf(id: string): Position {
    return id.startsWith(`${this.runId}/`) ? id.slice(this.runId.length + 1) : '';
  }

  private hasEnded(position: Position): boolean {
    return getOwn(this.outcomes, position) !== undefined;
  }

  /** The procedure has been told how the child at a position ended. */
  forget(position: Position): void {
    this.running.delete(position);
    delete this.outcomes[position];
  }

  private async start(
    position: Position,
    workflowId: string,
    start: StartInput,
  ): Promise<ChildWorkflowHandle<Workflow>> {
    const parentClosePolicy = ParentClosePolicy.ABANDON;
    this.starting++;
    try {
      return await startChild(workflowType, { args: [start], workflowId, parentClosePolicy });
    } catch (error) {
      this.running.delete(position); // a workflow of that id is somebody else's
      throw error;
    } finally {
      this.starting--;
    }
  }

  /** The server has yet to confirm that a child has begun. */
  get isStarting(): boolean {
    return this.starting > 0;
  }

  /** The first word on how a child ended counts, and none that comes when nobody waits for it any longer. */
  private note(position: Position, outcome: Outcome): void {
    if (this.running.has(position) && getOwn(this.outcomes, position) === undefined)
      this.outcomes[position] = outcome;
  }

  /** Cancels the children that nobody waits for any longer, or will. */
  async cancelAll(): Promise<void> {
    await Promise.all([...this.running].map((position) => this.cancel(position)));
  }

  /** Waits until the server has told of the end of every child that this execution has started. */
  async allClosed(): Promise<void> {
    await Promise.all(this.ends);
  }

  /** Cancels the child at a position that nobody waits for any longer. */
  async cancel(position: Position): Promise<void> {
    const isOver = !this.running.has(position) || getOwn(this.outcomes, position) !== undefined;
    this.forget(position);
    if (isOver) return;
    await this.requestCancel(position);
  }

  private async requestCancel(position: Position): Promise<void> {
    try {
      await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(this.idOf(position)).cancel());
    } catch {
      // It has closed already: nothing is left to cancel.
    }
  }

  /**
   * A run that continued as new has no handle of its children. Whether one of them went without a report it finds
   * out by knocking, first soon and then ever more seldom.
   */
  private async knockAt(position: Position): Promise<void> {
    const isOver = (): boolean =>
      this.gate.isOpen && (!this.running.has(position) || getOwn(this.outcomes, position) !== undefined);
    for (let waitMs = firstKnockMs; ; waitMs = Math.min(2 * waitMs, longestKnockMs)) {
      if (await condition(isOver, waitMs)) return;
      if (!this.gate.isOpen) await this.gate.opened();
      try {
        await getExternalWorkflowHandle(this.idOf(position)).signal(knock);
        if (!this.gate.isOpen) await this.gate.opened();
      } catch (error) {
        this.noteAbsence(position, error);
        return;
      }
    }
  }

  private async knockOnce(position: Position): Promise<void> {
    try {
      await getExternalWorkflowHandle(this.idOf(position)).signal(knock);
    } catch (error) {
      this.noteAbsence(position, error);
    }
  }

  /** Nobody was there to be knocked at. @throws CancelledFailure where it is the knocking that was given up */
  private noteAbsence(position: Position, error: unknown): void {
    if (isCancellation(error)) throw error;
    const message = 'it was terminated or has timed out';
    this.note(position, { ok: false, code: 'child_failed', message });
  }

  /** A child that is terminated or times out sends no report; while we have its handle, the server tells us. */
  private watch(position: Position, child: ChildWorkflowHandle<Workflow>): void {
    this.watched.add(position);
    const end = child.result().then(
      (value: JsonValue) => {
        this.note(position, { ok: true, value });
      },
      (error: unknown) => {
        this.note(position, failedOutcome(error, 'child_failed'));
      },
    );
    this.ends.push(end);
  }
}

/** Whoever can signal a run can send anything: what is no report must not stop it. */
function isChildClosed(closed: unknown): closed is ChildClosed {
  if (typeof closed !== 'object' || closed === null) return false;
  const { position, outcome } = closed as Partial<ChildClosed>;
  return typeof position === 'string' && isOutcome(outcome);
}

/** Tells the run that waits for this one how it ended. It may be gone by now. */
export async function reportToParent(parent: StartInput['parent'], outcome: Outcome): Promise<void> {
  if (parent === undefined) return;
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.runId).signal(childClosed, { position: parent.position, outcome }),
    );
  } catch {
    // The parent has closed: nobody waits for the report.
  }
}
