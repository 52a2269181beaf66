import { Firestore } from '@google-cloud/firestore';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { startFirestoreStandIn } from './firestore-stand-in/start-firestore-stand-in.js';
import { startJava } from './java-server.js';
import { waitUntil } from './wait-until.js';

/** What keeps documents of Firestore in a test. */
export interface TestFirestore {
  client: Firestore;
  endpoint: string;
  /** Of a storage in a collection, by another way where one is named. */
  address(collection: string, by?: string): string;
  stop(): Promise<void>;
}

const project = 'tactus-test';
/** On a machine that does much else. */
const patienceMs = 60_000;

/** Whether this machine has Google's emulator, which no registry carries. */
export const hasGoogleEmulator = (executablePaths().firestore ?? null) !== null;

/** A stand-in that speaks as much of the protocol as storages need. `at`: the port, where it can't be any. */
export async function startFirestore(at = 0): Promise<TestFirestore> {
  const { port, stop } = await startFirestoreStandIn(at);
  return reached(port, async () => stop());
}

/** @throws Error where this machine has none */
export async function startGoogleEmulator(): Promise<TestFirestore> {
  const program = executablePaths().firestore ?? null;
  if (program === null) throw new Error("There is no Google's emulator of Firestore here");
  const port = await freePort();
  const main = ['com.google.cloud.datastore.emulator.firestore.CloudFirestore'];
  const stop = startJava(program, [...main, '--host', '127.0.0.1', '--port', String(port)], {
    'user.language': 'en',
  });
  await waitUntil(() => fetch(`http://127.0.0.1:${port}`), patienceMs);
  return reached(port, stop);
}

function reached(port: number, end: () => Promise<void>): TestFirestore {
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new Firestore({ projectId: project, host: `127.0.0.1:${port}`, ssl: false });
  return {
    ...{ client, endpoint },
    address: (collection, by = endpoint) => `firestore://${project}/${collection}?endpoint=${by}`,
    async stop() {
      await client.terminate();
      await end();
    },
  };
}
