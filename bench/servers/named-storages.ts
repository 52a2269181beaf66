import { startServers } from './start-servers.ts';

/** The storages that arguments name: addresses, or `servers` for those that `startServers` has. */
export async function namedStorages(
  named: readonly string[],
): Promise<{ addresses: string[]; stop: () => Promise<void> }> {
  const servers = named.includes('servers')
    ? await startServers()
    : { addresses: [], stop: async () => undefined };
  return {
    addresses: [...named.filter((each) => each !== 'servers'), ...servers.addresses],
    stop: servers.stop,
  };
}
