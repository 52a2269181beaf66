import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { runIdOf } from '../../src/client/people/open-requests.js';
import type { Decision } from '../../src/contract/people/decision.js';
import { searchAttributeNames, signalNames } from '../../src/contract/names.js';

/** Approves a request by signal as soon as its run's search attributes say that it waits. No worker need live. */
export async function answerWhenWaiting(
  client: Client,
  request: string,
  stopped: AbortSignal,
): Promise<void> {
  const handle = client.workflow.getHandle(runIdOf(request));
  const decision: Decision = { request, value: true };
  while (!stopped.aborted) {
    const description = await handle.describe().catch(() => null); // not started yet
    const status = description?.typedSearchAttributes
      .getAll()
      .find(({ key }) => key.name === searchAttributeNames.status)?.value;
    if (status === 'waiting_for_human') return handle.signal(signalNames.decide, decision);
    await delay(100);
  }
}
