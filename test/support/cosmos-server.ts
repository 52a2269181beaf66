import { CosmosClient, type Container as SdkContainer } from '@azure/cosmos';
import { cosmosKey } from './cosmos-key.js';
import { startCosmosStandIn } from './cosmos-stand-in/start-cosmos-stand-in.js';

/** A stand-in for Cosmos DB: its own emulator is an image of a container, which no registry of packages carries. */
export interface TestCosmos {
  client: CosmosClient;
  endpoint: string;
  database: string;
  container(id: string): SdkContainer;
  /** How many items a container has. */
  count(id: string): number;
  /** Of a storage in a container, by another way where one is named. */
  address(container: string, by?: string): string;
  stop(): Promise<void>;
}

/** `at`: the port, where it can't be any. */
export async function startCosmos(at?: number): Promise<TestCosmos> {
  const standIn = await startCosmosStandIn(cosmosKey.COSMOS_KEY, at);
  const { endpoint } = standIn;
  const database = 'storage';
  const connectionPolicy = { enableEndpointDiscovery: false };
  const client = new CosmosClient({ endpoint, key: cosmosKey.COSMOS_KEY, connectionPolicy });
  return {
    ...{ client, endpoint, database },
    container: (id) => client.database(database).container(id),
    count: (id) => standIn.container(database, id)?.all().length ?? 0,
    address: (id, by = endpoint) => `cosmos://account/${database}/${id}?endpoint=${by}`,
    async stop() {
      client.dispose();
      await standIn.stop();
    },
  };
}
