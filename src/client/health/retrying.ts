import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { toIso } from '../server/to-iso.js';

/** A call of a run that has failed and is tried again: of a model, a prediction, a request. */
export interface Retrying {
  /** Of the call, in this execution of the run. */
  id: string;
  /** The attempt that is next, or under way. */
  attempt: number;
  /** How many there are in all where it fails like that; null where the worker didn't say. */
  attempts: number | null;
  /** What the attempt before it failed with. */
  message: string;
  /** When it is due; ISO 8601, UTC. null: it is under way. */
  next_at: string | null;
}

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** What of an open run is being tried again, as the server knows it; no worker is asked. */
export async function retryingOf(
  { client }: WorkflowHandle,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): Promise<Retrying[]> {
  const failed = (raw.pendingActivities ?? []).filter(
    ({ attempt, lastFailure }) => Number(attempt) > 1 && lastFailure != null,
  );
  return Promise.all(failed.map((pending) => retrying(client, pending)));
}

async function retrying({ options }: WorkflowHandle['client'], pending: Pending): Promise<Retrying> {
  const error = await decodeOptionalFailureToOptionalError(options.loadedDataConverter, pending.lastFailure);
  const [details] = error instanceof ApplicationFailure ? (error.details ?? []) : [];
  const attempts = (details as { attempts?: unknown } | undefined)?.attempts;
  return {
    id: pending.activityId ?? '',
    attempt: pending.attempt ?? 0,
    attempts: typeof attempts === 'number' ? attempts : null,
    message: error?.message ?? '',
    next_at: toIso(pending.nextAttemptScheduleTime),
  };
}
