import type { Client } from '@a2a-js/sdk/client';
import { assertInstalled } from '../../../packages/assert-installed.js';
import type { AgentPlace } from '../agent-adapter.js';

/**
 * Fetches the agent's card, and speaks with it as that says: JSON-RPC, or HTTP with JSON, of the protocol's versions 1.0 and 0.3.
 * @throws TactusError missing_package; ToolFailed, Fault, NotReached
 */
export async function connect({ reach }: AgentPlace): Promise<Client> {
  assertInstalled('Agents that speak A2A need', ['@a2a-js/sdk']);
  const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
    await import('@a2a-js/sdk/client');
  const { url, fetch: fetchImpl } = reach();
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
    // Without it each call would wait until the agent stops.
    clientConfig: { polling: true },
  });
  return factory.createFromUrl(url.endsWith('/') ? url : `${url}/`);
}
