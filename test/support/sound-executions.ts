import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import { failedTasks, historiesOf, type History } from './histories.js';
import { replayHistories } from './replay-histories.js';
import { resetReason } from './reset-run.js';

/**
 * The executions of a run, the first one first: each failed no workflow task, and replays.
 * @param wasReset a test has reset the run, and a task failed by that
 */
export async function soundExecutions(
  client: Client,
  { runId }: { runId: string },
  { wasReset = false } = {},
): Promise<History[]> {
  const histories = await historiesOf(client, runId);
  expect(failedTasks(histories).filter((message) => !wasReset || message !== resetReason)).toEqual([]);
  expect(await replayHistories(histories.map((history) => ({ workflowId: runId, history })))).toEqual([]);
  return histories;
}

/** Bytes of what an execution was started with. */
export function handedTo({ events }: History): number {
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  return (input?.payloads ?? []).reduce((sum, payload) => sum + (payload.data?.length ?? 0), 0);
}
