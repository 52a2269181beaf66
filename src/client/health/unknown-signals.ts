import type { Client } from '@temporalio/client';
import { eventSignal } from '../../contract/events/event-effect.js';
import { steerSignal } from '../../contract/agents/steer-effect.js';
import { signalNames } from '../../contract/names.js';

const known: readonly string[] = [...Object.values(signalNames), eventSignal, steerSignal];
const newest = 1_000;
const mostNames = 10;

/** Names of signals among the newest events of a run that no run hears: whoever sent them is told of no mistake. */
export async function unknownSignals(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
): Promise<string[]> {
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    ...{ namespace, execution: { workflowId }, maximumPageSize: newest },
  });
  const names = (history?.events ?? []).flatMap(
    (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
  );
  return [...new Set(names)]
    .filter((name) => !known.includes(name) && !name.startsWith('__'))
    .slice(0, mostNames);
}
