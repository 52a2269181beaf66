import { ApplicationFailure, executeChild, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import { workflowType, type StartInput, type tactus } from 'tactus-temporal/workflow';

/** Starts the procedure `refund` as a child, waits for its output, and says whether the order was refunded. */
export async function refundOrder(order: string, amount: number): Promise<boolean> {
  const start: StartInput = { procedure: 'refund', input: { order, amount } };
  const output = await executeChild<typeof tactus>(workflowType, {
    args: [start],
    workflowId: `${workflowInfo().workflowId}/refund`,
    // Without it, the run ends with the workflow, also where the workflow continues as new.
    parentClosePolicy: ParentClosePolicy.ABANDON,
  });
  if (typeof output !== 'object' || output === null || !('refunded' in output))
    throw ApplicationFailure.nonRetryable('the procedure "refund" returned no field "refunded"');
  return output['refunded'] === true;
}
