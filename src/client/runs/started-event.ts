import { WorkflowNotFoundError, type Client } from '@temporalio/client';

type History = NonNullable<
  Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>['history']
>;
type StartedEvent = NonNullable<
  NonNullable<History['events']>[number]['workflowExecutionStartedEventAttributes']
>;

/** What an execution of a workflow (left out: its newest) was started with; null where the server has none, or no longer. */
export async function startedEvent(
  client: Client,
  workflowId: string,
  execution?: string,
): Promise<StartedEvent | null> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, ...(execution === undefined ? {} : { runId: execution }) },
      maximumPageSize: 1,
    });
    return history?.events?.[0]?.workflowExecutionStartedEventAttributes ?? null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isNotFound(error)) return null;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 5;
}
