import type { CosmosClientOptions } from '@azure/cosmos';
import type * as Identity from '@azure/identity';
import { loadPackage } from '../../../contract/load-package.js';

/**
 * Who asks: whoever has the account's key, in `COSMOS_KEY`, or else whom Microsoft Entra knows, found as its SDK does.
 * @throws TactusError missing_package
 */
export async function cosmosCredentials(): Promise<Pick<CosmosClientOptions, 'key' | 'aadCredentials'>> {
  const key = process.env['COSMOS_KEY'] ?? '';
  if (key !== '') return { key };
  const { DefaultAzureCredential } = await load();
  return { aadCredentials: new DefaultAzureCredential() };
}

/** @throws TactusError missing_package */
function load(): Promise<typeof Identity> {
  return loadPackage(
    () => import('@azure/identity'),
    "Cosmos DB needs the account's key in COSMOS_KEY, or, for an identity of Microsoft Entra, a package: npm install @azure/identity",
  );
}
