import type * as Sdk from '@azure/cosmos';
import { TactusError } from '../../../contract/errors.js';
import { codeOf } from './cosmos-errors.js';
import type { CosmosPlace } from './cosmos-place.js';

const partitionPath = '/partition';

/**
 * Makes a container where there is none, and its database, with as much throughput as either has by itself.
 * @throws TactusError usage where there is one of another kind
 */
export async function ensureContainer(
  client: Sdk.CosmosClient,
  { database, container }: CosmosPlace,
  indexed: readonly string[],
): Promise<void> {
  try {
    const { resource } = await client.database(database).container(container).read();
    const found = (resource?.partitionKey?.paths ?? []).join();
    if (found === partitionPath) return;
    throw new TactusError(
      'usage',
      `The container ${container} is not a storage's: its partition key is ${found}`,
    );
  } catch (error) {
    // Whoever may not look may use it all the same.
    if (codeOf(error) === 403) return;
    if (codeOf(error) !== 404) throw error;
  }
  await unlessThere(() => client.databases.create({ id: database }));
  await unlessThere(() =>
    client.database(database).containers.create({
      id: container,
      partitionKey: { paths: [partitionPath] },
      // What nobody looks for by is not paid for with each write.
      indexingPolicy: {
        includedPaths: indexed.map((name) => ({ path: `/${name}/?` })),
        excludedPaths: [{ path: '/*' }],
      },
    }),
  );
}

/** Another one may have made it. */
async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== 409) throw error;
  }
}
