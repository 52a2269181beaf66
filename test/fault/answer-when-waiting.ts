import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Decision } from '../../src/contract/decision.js';
import { searchAttributeNames, signalNames } from '../../src/contract/names.js';

/** Approves, by signal, the one request of a run as soon as its search attributes say that it waits. No worker need live. */
export async function answerWhenWaiting(client: Client, runId: string, position: string, stopped: AbortSignal): Promise<void> {
  const handle = client.workflow.getHandle(runId);
  const decision: Decision = { request: `${runId}/${position}`, value: true };
  while (!stopped.aborted) {
    const description = await handle.describe().catch(() => null); // not started yet
    const status = description?.typedSearchAttributes.getAll().find(({ key }) => key.name === searchAttributeNames.status)?.value;
    if (status === 'waiting_for_human') return handle.signal(signalNames.decide, decision);
    await delay(100);
  }
}
