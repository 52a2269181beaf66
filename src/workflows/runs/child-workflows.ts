import { CancellationScope, type ChildWorkflowHandle, type Workflow } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import type { Holds } from '../../contract/engine.js';
import { defined, getOwn, type JsonValue } from '../../contract/json/json.js';
import { isUsage, type RunUsage } from '../../contract/models/model-call.js';
import type { RunLook } from '../../contract/runs/child-run.js';
import type { CarriedChildren, StartInput } from '../../contract/runs/start-input.js';
import { CancelRequests, ChildWaits, GivenUpChildren, StartPlaces } from './child-waits.js';
import {
  goneOutcome,
  launchChild,
  listenForReports,
  newChild,
  type Child,
  type ChildClosed,
} from './child-start.js';
import { failedOutcome } from '../effects/outcomes.js';
import type { Sequence } from '../sequence.js';
import { lookAt } from './watch.js';

/** What a child is started with, and who is told. */
type Asked = [start: StartInput, begun: () => void, failed: (error: unknown) => void];

export interface ChildWorkflowsOptions {
  runId: string;
  /** What the execution before handed over. */
  carried: CarriedChildren;
  sequence: Sequence;
  /** `late`: of the child at this position, for which nobody waits any more. */
  onUsage: (usage: RunUsage, late: Position | null) => void;
  /** Of `budgets`, `calls-of-children` and `unwanted-children`. */
  holds: Holds;
  /** How many may be pending with the server at once. */
  most: number;
  /** Told when a child was taken over that goes on; null: the run's engine takes none over. */
  onTakenOver: (() => void) | null;
}

/**
 * The runs that this run waits for. They outlive it when it continues as new (default-policy children would be
 * terminated), so they are abandoned by policy, report to the run's id by signal, and are cancelled by us.
 *
 * Owns: what is known of each child, by position, and who waits for its end.
 * Asks: the server to start, to cancel and to describe children; `Sequence` for the turn of each of its answers.
 * Invariants:
 *  1. The first word on the end of a child counts: its report, its handle, or a look at the server.
 *  2. At most `most` children are pending with the server, and at most `most` requests to cancel. Others wait here.
 *  3. The usage of a child is counted once: when its end becomes known, or later if it was cancelled.
 *  4. `isUnsettled` holds as long as the server has yet to start or to cancel a child.
 */
export class ChildWorkflows {
  private readonly known = new Map<Position, Child>();
  readonly waits = new ChildWaits();
  readonly givenUp: GivenUpChildren;
  private readonly requests: CancelRequests;
  readonly places: StartPlaces;
  /** Resolves with the end of each that this execution has started. */
  private readonly ends: Promise<unknown>[] = [];

  constructor(private readonly options: ChildWorkflowsOptions) {
    const { carried, sequence, most } = options;
    const { children, childOutcomes: outcomes, cancelledChildren = [] } = carried;
    this.requests = new CancelRequests(sequence, most);
    this.places = new StartPlaces(most);
    this.givenUp = new GivenUpChildren(cancelledChildren);
    for (const position of children) {
      const outcome = getOwn(outcomes, position) ?? null;
      this.known.set(position, newChild({ hasBegun: true, isOwn: false, outcome }));
    }
    listenForReports(sequence, (report) => this.noteReport(report));
  }

  idOf(position: Position): string {
    return `${this.options.runId}/${position}`;
  }

  /** Starts the child at a position, unless an execution before has. */
  start(position: Position, ...asked: Asked): void {
    const [start, begun, failed] = asked;
    if (this.known.has(position)) return begun();
    if (!this.places.take(position, () => this.start(position, ...asked))) return;
    const child = newChild({ hasBegun: false, isOwn: true, outcome: null });
    this.known.set(position, child);
    const workflowId = this.idOf(position);
    this.options.sequence.follow(
      launchChild(workflowId, start),
      (running) => {
        this.follow(position, running);
        this.begun(position, child, running.firstExecutionRunId, begun);
      },
      (error) => {
        const lost = (): void => {
          this.known.delete(position); // a workflow of that id is somebody else's
          this.places.free();
          failed(error);
        };
        if (this.options.onTakenOver === null || !(error instanceof WorkflowExecutionAlreadyStartedError))
          return lost();
        this.options.sequence.follow(
          lookAt([workflowId], true),
          ([look]) => {
            if (look?.parent !== this.options.runId) return lost();
            const again = (): void => this.startAgain(position, child, asked);
            if (this.options.holds('rewinds') && this.givenUp.isOne(position, look))
              return this.options.sequence.follow(this.givenUp.time(position), again, lost);
            // One that has ended meanwhile has reported that before.
            const hasReported = child.reports.some(({ execution }) => execution === look.firstExecution);
            if (look.isClosed === true && !hasReported) return again();
            this.places.free();
            this.takeOver(position, child, look, begun);
          },
          lost,
        );
      },
    );
  }

  /** What had the place has ended. */
  private startAgain(position: Position, child: Child, asked: Asked): void {
    this.known.delete(position);
    this.places.free();
    if (this.options.holds('rewinds')) for (const report of child.reports) this.noteReport(report);
    if (!child.isUnwanted || !this.options.holds('unwanted-children')) this.start(position, ...asked);
  }

  /** This run has started it before, and was reset to a moment before that: it goes on, and reports here. */
  private takeOver(position: Position, child: Child, { firstExecution }: RunLook, begun: () => void): void {
    child.isOwn = false;
    this.begun(position, child, firstExecution ?? null, begun);
    if (this.known.has(position)) this.options.onTakenOver?.();
  }

  private begun(position: Position, child: Child, execution: string | null, told: () => void): void {
    child.hasBegun = true;
    child.execution = execution;
    if (!child.isUnwanted) told();
    else if (this.options.holds('unwanted-children')) this.cancel(position);
    else this.requests.request(this.idOf(position));
    for (const report of child.reports.splice(0))
      if (execution === null || report.execution === execution) this.noteReport(report);
  }

  /** The server has yet to start or to cancel a child; it does neither for a workflow that has closed. */
  get isUnsettled(): boolean {
    return this.requests.areUnheard || [...this.known.values()].some(({ hasBegun }) => !hasBegun);
  }

  /** Ids of the child runs that are under way. */
  get open(): string[] {
    return [...this.known].flatMap(([position, { outcome }]) =>
      outcome === null ? [this.idOf(position)] : [],
    );
  }

  /** Ids of those whose end only a report would tell of: what is terminated makes none. */
  get unattended(): string[] {
    return [...this.known].flatMap(([position, { isOwn, outcome }]) =>
      isOwn || outcome !== null ? [] : [this.idOf(position)],
    );
  }

  /** For another execution. */
  carried(): CarriedChildren {
    const ended = [...this.known].flatMap(([position, { outcome }]) =>
      outcome === null ? [] : [[position, outcome] as const],
    );
    return {
      ...{ children: [...this.known.keys()], childOutcomes: Object.fromEntries(ended) },
      ...this.givenUp.carried(),
    };
  }

  /** Whether it is a child of this run, of whose end the procedure hasn't been told. */
  isOwn(id: string): boolean {
    return this.known.has(this.positionOf(id));
  }

  /** How a child ended; null as long as it goes on. */
  outcomeOf(id: string): Outcome | null {
    return this.known.get(this.positionOf(id))?.outcome ?? null;
  }

  onEnd(position: Position, told: (outcome: Outcome) => void): void {
    const outcome = this.known.get(position)?.outcome ?? null;
    if (outcome !== null) told(outcome);
    else this.waits.onEnd(position, told);
  }

  /** The procedure has been told how the child at a position ended, or wants it no longer. */
  forget(position: Position): void {
    this.known.delete(position);
    this.waits.drop(position);
  }

  forgetRun(id: string): void {
    this.forget(this.positionOf(id));
  }

  /** What a look found of children that were started by an execution before. */
  looked(looks: readonly RunLook[]): void {
    for (const { id, outcome, isGone } of looks)
      if (outcome !== null) this.note(this.positionOf(id), outcome);
      else if (isGone === true) this.note(this.positionOf(id), goneOutcome);
  }

  /** Cancels the child at a position that nobody waits for any longer. */
  cancel(position: Position): void {
    const child = this.known.get(position);
    this.waits.drop(position);
    this.places.drop(position);
    if (child === undefined) return;
    if (!child.hasBegun) return void (child.isUnwanted = true);
    this.known.delete(position);
    if (child.outcome !== null) return;
    this.givenUp.add(position);
    this.requests.request(this.idOf(position));
  }

  /** Cancels a child that the procedure wants no longer; who else waits for it goes on. Tells how it has ended. */
  cancelRun(id: string, told: (outcome: Outcome) => void): void {
    const position = this.positionOf(id);
    const child = this.known.get(position);
    const cancelled: Outcome = { ok: false, code: 'cancelled', message: `${id} was cancelled` };
    if (child === undefined) return told(cancelled);
    if (child.outcome !== null) return told(child.outcome);
    this.note(position, cancelled);
    this.givenUp.add(position);
    this.requests.request(this.idOf(position), () => told(cancelled));
  }

  /** There is nothing that `cancelAll` or `allClosed` would have to see to. */
  get isEmpty(): boolean {
    return this.known.size === 0 && this.requests.isEmpty && this.ends.length === 0;
  }

  /** Asks all that are under way to end, and waits until the server has been told. */
  async cancelAll(): Promise<void> {
    for (const [position, { hasBegun, outcome }] of this.known)
      if (hasBegun && outcome === null) {
        this.givenUp.add(position);
        void this.requests.send(this.idOf(position));
      }
    this.known.clear();
    await this.requests.allSent();
  }

  /** Waits until the server has told of the end of every child that this execution has started. */
  async allClosed(): Promise<void> {
    await Promise.all(this.ends);
  }

  /** Of an id that is no child's, a position that no child has. */
  private positionOf(id: string): Position {
    return id.startsWith(`${this.options.runId}/`) ? id.slice(this.options.runId.length + 1) : '';
  }

  /** A child that ends by itself reports, before the server tells of its end. */
  private noteReport(report: ChildClosed): void {
    const { position, outcome, execution } = report;
    const usage = isUsage(report.usage) ? this.counted(report.usage) : undefined;
    const child = this.known.get(position);
    if (child !== undefined && execution !== undefined && this.options.onTakenOver !== null) {
      if (!child.hasBegun) return void child.reports.push(report);
      // The server hands a run that was reset what its children reported before.
      if (child.execution !== null && child.execution !== execution) return;
    }
    const isLate = this.givenUp.hear(position, execution) || child?.isUnwanted === true;
    const isCounted = (isLate || child?.outcome === null) && usage !== undefined;
    if (isCounted) this.options.onUsage(usage, isLate ? position : null);
    this.note(position, isCounted && this.options.holds('budgets') ? { ...outcome, usage } : outcome);
  }

  private counted({ calls, ...usage }: RunUsage): RunUsage {
    return this.options.holds('calls-of-children') ? { ...usage, ...defined({ calls }) } : usage;
  }

  /** The first word on how a child ended counts, and none that comes when nobody waits for it any longer. */
  private note(position: Position, outcome: Outcome): void {
    const child = this.known.get(position);
    if (child === undefined || child.outcome !== null) return;
    child.outcome = outcome;
    this.waits.ended(position, outcome);
  }

  /** A child that is terminated or times out sends no report; while we have its handle, the server tells us. */
  private follow(position: Position, child: ChildWorkflowHandle<Workflow>): void {
    const end = CancellationScope.nonCancellable(() => child.result());
    this.ends.push(end.catch(() => undefined));
    const ended = (outcome: Outcome): void => {
      this.note(position, outcome);
      this.places.free();
    };
    this.options.sequence.follow(
      end,
      (value) => ended({ ok: true, value: value as JsonValue }),
      (error) => ended(failedOutcome(error, 'child_failed')),
    );
  }
}
