import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import { workflowType } from '../../contract/names.js';
import type { TurnStart } from '../../contract/runs/start-input.js';

/**
 * Starts the next turn of a thread whose run has ended. Its own id is made of the execution that the turn follows, so that the
 * server starts one of it: two turns never go on from the same state, however close together they come.
 * @returns false where the run was started by other means meanwhile
 */
export async function tactusTurn({ runId, start, summary, memo, timeout }: TurnStart): Promise<boolean> {
  try {
    await startChild(workflowType, {
      args: [start],
      workflowId: runId,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summary,
      memo,
      ...(timeout === undefined ? {} : { workflowExecutionTimeout: timeout }),
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
