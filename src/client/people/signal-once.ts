import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { encodeToPayloadsWithContext } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { createHash } from 'node:crypto';
import { grpcErrorOf } from '../server/grpc-error.js';

const notFound = 5;

/**
 * Sends a signal that is one however often it is sent under an id: the server keeps the ids that an execution has had. The
 * SDK's own signals have a new one each time.
 * @throws WorkflowNotFoundError
 */
export async function signalOnce(
  { client, workflowId }: WorkflowHandle,
  signalName: string,
  args: unknown[],
  id: string,
): Promise<void> {
  const { namespace, identity, loadedDataConverter } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  try {
    await client.workflowService.signalWorkflowExecution({
      ...{ namespace, identity, signalName, workflowExecution: { workflowId } },
      requestId: createHash('sha256').update(id).digest('hex'),
      input: { payloads: (await encodeToPayloadsWithContext(loadedDataConverter, context, args)) ?? [] },
    });
  } catch (error) {
    if (grpcErrorOf(error)?.code !== notFound) throw error;
    throw new WorkflowNotFoundError('there is no such run, or it has ended', workflowId, undefined);
  }
}
