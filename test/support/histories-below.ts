import { expect } from 'vitest';
import type { TactusClient } from '../../src/client/tactus-client.js';
import { historiesOf, type History } from './histories.js';
import { replayHistories } from './replay-histories.js';

/** A history of one execution of a run. */
export interface NamedHistory {
  workflowId: string;
  execution: number;
  history: History;
}

/** The histories of a run and of all child runs below it, when they have closed. */
export async function historiesBelow(tactus: TactusClient, runId: string): Promise<NamedHistory[]> {
  await tactus
    .attach(runId)
    .result()
    .catch(() => undefined);
  const own = await historiesOf(tactus.client, runId);
  const children = own
    .flatMap(({ events }) => events ?? [])
    .flatMap(
      (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? [],
    );
  const below = await Promise.all(children.map((id) => historiesBelow(tactus, id)));
  return [...own.map((history, execution) => ({ workflowId: runId, execution, history })), ...below.flat()];
}

/** Histories of a run that has closed, and of all child runs below it, lead the same way again. */
export async function expectReplays(tactus: TactusClient, runId: string): Promise<void> {
  expect(await replayHistories(await historiesBelow(tactus, runId))).toEqual([]);
}
