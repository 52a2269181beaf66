import type { TactusClient } from '../../src/client/tactus-client.js';
import { historiesOf, type History } from './histories.js';

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
