import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow';
import { isOutcome, type Outcome } from '../../contract/checkpoints/checkpoint.js';
import { signalNames } from '../../contract/names.js';
import type { Position } from '../../contract/checkpoints/position.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import type { Usage } from '../../contract/models/model-call.js';

/** How a child run has ended, as it tells the run that waits for it. */
export interface ChildClosed {
  position: Position;
  outcome: Outcome;
  /** What it has used, with the runs that it started; older versions tell nothing of it. */
  usage?: Usage;
  /** The first execution of the child: a run that was reset has others at the same place. Older versions leave it out. */
  execution?: string;
}

export const childClosed = defineSignal<[unknown]>(signalNames.childClosed);

/** Whoever can signal a run can send anything: what is no report must not stop it. */
export function isChildClosed(closed: unknown): closed is ChildClosed {
  if (typeof closed !== 'object' || closed === null) return false;
  const { position, outcome } = closed as Partial<ChildClosed>;
  return typeof position === 'string' && isOutcome(outcome);
}

/** Tells the run that waits for this one how it ended. It may be gone by now. */
export async function reportToParent(
  parent: StartInput['parent'],
  outcome: Outcome,
  usage: Usage,
): Promise<void> {
  if (parent === undefined) return;
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.runId).signal(childClosed, {
        position: parent.position,
        outcome,
        usage,
        execution: workflowInfo().firstExecutionRunId,
      }),
    );
  } catch {
    // The parent has closed: nobody waits for the report.
  }
}

/** A child run of whose end the procedure hasn't been told. */
export interface Child {
  /** The server has confirmed that it has begun. */
  hasBegun: boolean;
  /** This execution has started it: the server tells of its end. */
  isOwn: boolean;
  /** Cancelled before it had begun. */
  isUnwanted: boolean;
  outcome: Outcome | null;
  /** Its first execution; null: it isn't known. */
  execution: string | null;
  /** What was reported before it is known which child it is. */
  reports: ChildClosed[];
}

export function newChild(known: Pick<Child, 'hasBegun' | 'isOwn' | 'outcome'>): Child {
  return { ...known, isUnwanted: false, execution: null, reports: [] };
}
