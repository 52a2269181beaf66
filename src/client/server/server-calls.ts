import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

const ownMs = 10_000;

/**
 * A call to the server that has ten seconds of its own, whatever is left of the time of whoever asked: a list that takes many calls is made for
 * all who ask, and would else be begun again and again by those who have no time to wait for its end.
 */
export function withOwnDeadline<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + ownMs, call);
}

/** A namespace keeps its id: the server is asked once. */
const namespaceIds = new WeakMap<Client, string>();

/** What the server made for the namespace of a client when it was registered: names are given to several. */
export async function namespaceIdOf(client: Client): Promise<string> {
  const before = namespaceIds.get(client);
  if (before !== undefined) return before;
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id ?? '';
  namespaceIds.set(client, id);
  return id;
}

/** A time of the server's in ISO 8601, UTC. */
export function toIso(time: temporal.api.history.v1.IHistoryEvent['eventTime']): string | null {
  if (time === null || time === undefined) return null;
  return new Date(Number(time.seconds) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString();
}
