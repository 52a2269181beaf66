import { Client, Connection } from '@temporalio/client';
import { isRunning } from '../../../src/client/runs/is-running.js';
import {
  makeServerFolder,
  serverFolder,
  writeServerRecord,
  type ServerRecord,
} from '../../../src/worker/server/embedded-server/server-folder.js';
import { startServerProcess } from '../../../src/worker/server/embedded-server/server-process.js';
import { executablePaths } from '../../support/executable-paths.js';
import { waitUntil } from '../../support/wait-until.js';
import type { Part } from '../../support/part.js';

/** A Temporal server that can be killed as a whole, or part by part. */
export interface KillableServer {
  /** Stays the same over a restart. */
  address: string;
  client: Client;
  parts: Part[];
  /** One in PostgreSQL that the tests may have; left out where it has none. */
  database?: string;
  close(): Promise<void>;
}

/** A development server as the embedded one is started, with its data in a file of the folder. */
export async function startWholeServer(workingFolder: string): Promise<KillableServer> {
  const files = serverFolder(workingFolder);
  makeServerFolder(files);
  const start = async (): Promise<ServerRecord> => {
    const { record, door } = await startServerProcess(executablePaths().temporal, files, false);
    door?.close();
    // It takes the same port then.
    writeServerRecord(`${files.record}.last`, record);
    return record;
  };
  let running = await start();
  const { address } = running;
  const connection = await Connection.connect({ address });
  const kill = async (): Promise<void> => {
    if (!isRunning(running.pid, files.database)) throw new Error('the server had ended by itself');
    process.kill(running.pid, 'SIGKILL');
    await waitUntil(() => Promise.resolve(!isRunning(running.pid, files.database)));
  };
  const server: Part = {
    name: 'server',
    start: async () => {
      running = await start();
      if (running.address !== address) throw new Error(`${address} was taken by something else`);
    },
    kill,
  };
  return {
    address,
    client: new Client({ connection }),
    parts: [server],
    close: async () => {
      await connection.close();
      await kill();
    },
  };
}
