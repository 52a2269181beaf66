import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { aheadMessage } from '../../src/contract/names.js';
import type { StartInput } from '../../src/contract/runs/start-input.js';

/** `WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND`; the time-skipping server gives no message with it. */
const unhandledCommand = 1;

export type History = temporal.api.history.v1.IHistory;

/** The execution that a turn of a thread goes on from; '': it is none. */
function turnBefore({ events }: History): string {
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  // A run that continues as new has the pass of the execution before.
  if (started?.parentWorkflowExecution?.workflowId?.includes('/after/') !== true) return '';
  const [payload] = started.input?.payloads ?? [];
  const { carry } = JSON.parse(Buffer.from(payload?.data ?? []).toString()) as StartInput;
  return carry?.pass?.execution ?? '';
}

/** The histories of all executions of a run, the first one first: those of the turns before among them. */
export async function historiesOf(client: Client, runId: string): Promise<History[]> {
  const histories: History[] = [];
  for (let execution: string | undefined; ;) {
    const history: History = await client.workflow.getHandle(runId, execution).fetchHistory();
    histories.unshift(history);
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    const previous = (started?.continuedExecutionRunId ?? '') || turnBefore(history);
    if (previous === '') return histories;
    execution = previous;
  }
}

/**
 * Why workflow tasks of a run failed. Not among them: a worker that dies lets its task time out; where something
 * arrives while a task closes the run, the server has it looked at once more; and a run that is asked while its task is
 * lost, as a busy machine's are, rightly begins that task anew.
 */
export function failedTasks(histories: readonly History[]): string[] {
  return histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed && Number(failed.cause) !== unhandledCommand ? [`${failed.failure?.message}`] : [],
    )
    .filter((message) => message !== 'UnhandledCommand' && message !== aheadMessage);
}

/** Activities in the order in which they were scheduled, each with its task queue. */
export function scheduledOn({ events }: History): string[] {
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled == null ? [] : [`${scheduled.activityType?.name} on ${scheduled.taskQueue?.name}`],
  );
}
