import {
  workflowInfo,
  type WorkflowInterceptorsFactory,
  type WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import { aheadMessage, workflowType } from '../contract/names.js';
import { tracedCalls } from './traces/traced-calls.js';

type Activation = Parameters<NonNullable<WorkflowInternalsInterceptor['activate']>>[0]['activation'];
type Commands = Parameters<NonNullable<WorkflowInternalsInterceptor['concludeActivation']>>[0]['commands'];

/** A workflow task that was recorded has ended, and the next one was scheduled and begun. */
const eventsOfTask = 3;

/**
 * Notices that a run has got ahead of its history, and has the workflow task begun anew, from history alone.
 *
 * A query may bring a worker the history up to a workflow task that another worker died at. The SDK runs the workflow over that task to
 * answer, and keeps it so; the server gives the task out again, with what has arrived since, and the worker hears of that alone.
 * What it records then stands in an order in which no replay does it: a replay hears all of it at once, signals and Updates first.
 * A task that fails costs a moment; such a history costs the run.
 */
export function aheadOfHistory(): WorkflowInternalsInterceptor {
  /** The last activation that wasn't a replay: where history ended, and how many events at least follow from it. */
  let last: { historyLength: number; events: number } | null = null;
  let isLive = false;
  return {
    activate(input, next) {
      const { isReplaying } = input.activation;
      const historyLength = input.activation.historyLength ?? 0;
      isLive = isReplaying !== true && !isQuestion(input.activation);
      if (isLive && historyLength !== last?.historyLength) {
        const added =
          last === null ? Infinity : historyLength - last.historyLength - arrivedIn(input.activation);
        // A task without commands may leave no trace at all: that of an Update that was refused.
        if (last !== null && last.events > 0 && added < eventsOfTask + last.events)
          throw new Error(aheadMessage);
        last = { historyLength, events: 0 };
      }
      next(input);
    },
    concludeActivation(input, next) {
      const output = next(input);
      if (isLive && last !== null) last.events = Math.max(0, last.events + eventsOf(output.commands));
      return output;
    },
  };
}

function isQuestion({ jobs }: Activation): boolean {
  return (jobs ?? []).every(
    ({ queryWorkflow, removeFromCache }) => (queryWorkflow ?? removeFromCache) != null,
  );
}

/** Events that it tells of, at least. */
function arrivedIn({ jobs }: Activation): number {
  return (jobs ?? []).filter(
    ({ fireTimer, resolveActivity, signalWorkflow, cancelWorkflow, ...others }) =>
      (fireTimer ?? signalWorkflow ?? cancelWorkflow) != null ||
      (resolveActivity != null && resolveActivity.isLocal !== true) ||
      (others.resolveChildWorkflowExecution ?? others.resolveChildWorkflowExecutionStart) != null,
  ).length;
}

/** Events that follow from commands, at least: what is cancelled in the task that it was begun in leaves none. */
function eventsOf(commands: Commands): number {
  let events = 0;
  for (const command of commands) {
    const { scheduleActivity, startTimer, upsertWorkflowSearchAttributes, startChildWorkflowExecution } =
      command;
    const { cancelTimer, requestCancelActivity, cancelChildWorkflowExecution, updateResponse } = command;
    if ((cancelTimer ?? requestCancelActivity ?? cancelChildWorkflowExecution) != null) events--;
    else if (updateResponse != null) events += updateResponse.rejected == null ? 1 : 0;
    else if (
      (scheduleActivity ?? startTimer ?? upsertWorkflowSearchAttributes ?? startChildWorkflowExecution) !=
      null
    )
      events++;
  }
  return events;
}

/** For procedures alone, also where they stand in one bundle with workflows of others. */
export const interceptors: WorkflowInterceptorsFactory = () =>
  workflowInfo().workflowType === workflowType ? { ...tracedCalls(), internals: [aheadOfHistory()] } : {};
