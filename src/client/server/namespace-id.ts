import type { Client } from '@temporalio/client';

/** A namespace keeps its id: the server is asked once. */
const known = new WeakMap<Client, string>();

/** What the server made for the namespace of a client when it was registered: names are given to several. */
export async function namespaceIdOf(client: Client): Promise<string> {
  const before = known.get(client);
  if (before !== undefined) return before;
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id ?? '';
  known.set(client, id);
  return id;
}
