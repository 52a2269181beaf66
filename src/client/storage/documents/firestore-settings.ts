import type { Settings } from '@google-cloud/firestore';
import type { StoreAddress } from './store-address.js';

/** How a client of Firestore is made. Who asks it finds out by itself, but where nobody is asked who they are. */
export function firestoreSettings({ name, database, endpoint }: StoreAddress): Settings {
  const { hostname, port, protocol } = new URL(endpoint ?? 'https://firestore.googleapis.com');
  return {
    projectId: name,
    ...(database === undefined ? {} : { databaseId: database }),
    ...(endpoint === undefined
      ? {}
      : { host: hostname, port: Number(port || 443), ssl: protocol === 'https:' }),
  };
}
