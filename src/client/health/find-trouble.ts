import type { Client } from '@temporalio/client';
import { eachLimit } from '../concurrency.js';
import type { ListedRun } from '../lists/server-runs.js';
import { ifThere } from '../runs/run-errors.js';
import { retryingOf, stuckOf, type Retrying, type Stuck } from './trouble.js';
import { eventSignal } from '../../contract/events/event-effect.js';
import { steerSignal } from '../../contract/agents/steer-effect.js';
import { signalNames } from '../../contract/names.js';

const atOnce = 10;

/** What the server knows of an open run that doesn't go on as it should. */
export interface Trouble {
  stuck: Stuck | null;
  retrying: Retrying[];
}

/** What troubles some runs, by their ids: the server is asked for each open one, and no worker. */
export async function findTrouble(
  client: Client,
  runs: readonly Pick<ListedRun, 'run_id' | 'closed_at'>[],
): Promise<Map<string, Trouble>> {
  const found = new Map<string, Trouble>();
  const open = runs.filter(({ closed_at }) => closed_at === null);
  await eachLimit(open, atOnce, async ({ run_id }) => {
    const handle = client.workflow.getHandle(run_id);
    // The server's own answer: the client of the SDK reads the memo, too, and fails where a codec has no key for it.
    const raw = await client.workflowService
      .describeWorkflowExecution({ namespace: client.options.namespace, execution: { workflowId: run_id } })
      .catch(ifThere);
    if (raw === null) return;
    const runId = raw.workflowExecutionInfo?.execution?.runId ?? '';
    const description = { raw, workflowId: run_id, runId };
    const stuck = await stuckOf(handle, description);
    const retrying = await retryingOf(handle, description);
    if (stuck !== null || retrying.length > 0) found.set(run_id, { stuck, retrying });
  });
  return found;
}

/** What those of them are stuck on that are stuck, by their ids. */
export async function stuckAmong(
  client: Client,
  runs: Parameters<typeof findTrouble>[1],
): Promise<Map<string, Stuck>> {
  const trouble = await findTrouble(client, runs);
  return new Map([...trouble].flatMap(([id, { stuck }]) => (stuck === null ? [] : [[id, stuck] as const])));
}

const knownSignals: readonly string[] = [...Object.values(signalNames), eventSignal, steerSignal];
const newestEvents = 1_000;
const mostNames = 10;

/** Names of signals among the newest events of a run that no run hears: whoever sent them is told of no mistake. */
export async function unknownSignals(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
): Promise<string[]> {
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    ...{ namespace, execution: { workflowId }, maximumPageSize: newestEvents },
  });
  const names = (history?.events ?? []).flatMap(
    (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
  );
  return [...new Set(names)]
    .filter((name) => !knownSignals.includes(name) && !name.startsWith('__'))
    .slice(0, mostNames);
}
