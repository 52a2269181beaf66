import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  startChild,
  type ChildWorkflowHandle,
  type Workflow,
} from '@temporalio/workflow';
import type { Outcome } from '../contract/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import { getOwn, type JsonValue } from '../contract/json.js';
import { signalNames, workflowType } from '../contract/names.js';
import type { Position } from '../contract/position.js';
import type { StartInput } from '../contract/start-input.js';
import { failedOutcome } from './outcome.js';

export interface ChildClosed {
  position: Position;
  outcome: Outcome;
}

const childClosed = defineSignal<[ChildClosed]>(signalNames.childClosed);
const knock = defineSignal(signalNames.knock);

const firstKnockMs = 5_000;
const longestKnockMs = 86_400_000;

/**
 * The runs that this run waits for. They outlive it when it continues as new (default-policy children would be
 * terminated), so they are abandoned by policy, report to the run's id by signal, and are cancelled by us.
 */
export class Children {
  constructor(
    private readonly runId: string,
    /** Positions whose child was started before. */
    readonly running: Set<Position>,
    readonly outcomes: Record<Position, Outcome>,
  ) {
    setHandler(childClosed, ({ position, outcome }) => {
      this.outcomes[position] = outcome;
    });
    // Only to be heard: the server tells whoever knocks at a closed run.
    setHandler(knock, () => undefined);
  }

  /** @throws TactusError child_failed with the child's own message */
  async run(position: Position, start: StartInput): Promise<JsonValue> {
    const workflowId = `${this.runId}/${position}`;
    if (!this.running.has(position)) {
      this.running.add(position);
      const child = await startChild(workflowType, {
        args: [start],
        workflowId,
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
      this.watch(position, child);
    } else {
      this.knockAt(position).catch(() => undefined); // cancelled with the wait itself
    }
    await condition(() => getOwn(this.outcomes, position) !== undefined);
    this.running.delete(position);
    const outcome = getOwn(this.outcomes, position) as Outcome;
    delete this.outcomes[position];
    if (!outcome.ok)
      throw new TactusError('child_failed', `Procedure.run: ${workflowId} failed: ${outcome.message}`);
    return outcome.value;
  }

  /** Cancels the child at a position that nobody waits for any longer. */
  async cancel(position: Position): Promise<void> {
    if (!this.running.delete(position)) return;
    try {
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(`${this.runId}/${position}`).cancel(),
      );
    } catch {
      // It has closed already: nothing is left to cancel.
    }
  }

  /**
   * A run that continued as new has no handle of its children. Whether one of them went without a report it finds
   * out by knocking, first soon and then ever more seldom.
   */
  private async knockAt(position: Position): Promise<void> {
    const workflowId = `${this.runId}/${position}`;
    const isOver = (): boolean =>
      !this.running.has(position) || getOwn(this.outcomes, position) !== undefined;
    for (let waitMs = firstKnockMs; ; waitMs = Math.min(2 * waitMs, longestKnockMs)) {
      if (await condition(isOver, waitMs)) return;
      try {
        await getExternalWorkflowHandle(workflowId).signal(knock);
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.outcomes[position] ??= {
          ok: false,
          code: 'child_failed',
          message: 'it was terminated or has timed out',
        };
        return;
      }
    }
  }

  /** A child that is terminated or times out sends no report; while we have its handle, the server tells us. */
  private watch(position: Position, child: ChildWorkflowHandle<Workflow>): void {
    child.result().then(
      (value: JsonValue) => {
        this.outcomes[position] ??= { ok: true, value };
      },
      (error: unknown) => {
        this.outcomes[position] ??= failedOutcome(error, 'child_failed');
      },
    );
  }
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
