import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** `WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND`; the time-skipping server gives no message with it. */
const unhandledCommand = 1;

export type History = temporal.api.history.v1.IHistory;

/** The histories of all executions of a run, the first one first. */
export async function historiesOf(client: Client, runId: string): Promise<History[]> {
  const histories: History[] = [];
  for (let execution: string | undefined; ;) {
    const history: History = await client.workflow.getHandle(runId, execution).fetchHistory();
    histories.unshift(history);
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    const previous = started?.continuedExecutionRunId ?? '';
    if (previous === '') return histories;
    execution = previous;
  }
}

/**
 * Why workflow tasks of a run failed. Not among them: a worker that dies lets its task time out, and where something
 * arrives while a task closes the run, the server has it looked at once more.
 */
export function failedTasks(histories: readonly History[]): string[] {
  return histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed && Number(failed.cause) !== unhandledCommand ? [`${failed.failure?.message}`] : [],
    )
    .filter((message) => message !== 'UnhandledCommand');
}
