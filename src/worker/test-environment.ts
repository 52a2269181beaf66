import { isAbsolute, resolve } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Client } from '@temporalio/client';
import { folderOf } from '../client/folder-of.js';
import { TactusClient } from '../client/tactus-client.js';
import { createTactusWorker } from './create-tactus-worker.js';
import { LostAnswers } from './lost-answers.js';
import { readToolchain, requireTemporalTestServer } from './toolchain.js';

/** A server that skips time while all runs wait, and a worker on it. */
export interface TestEnvironment {
  client: Client;
  tactus: TactusClient;
  taskQueue: string;
  /** What the worker does and never tells of. */
  lostAnswers: LostAnswers;
  /** Where one of the files lies, as a run is told. */
  folderOf(file: string): string;
  stop(): Promise<void>;
}

const taskQueue = 'tactus-test';

/**
 * Starts both, for as long as a command lasts; nothing is kept.
 * @throws TactusError server_unreachable where the server can't be had
 */
export async function startTestEnvironment(options: {
  /** Procedures read and write files below it. */
  filesRoot: string;
  /** `tactus.io` too stays in that folder; else it works beside each of the files, wherever that is. */
  staysInside: boolean;
  /** The procedures that are tested, wherever they lie. */
  files: readonly string[];
  /** The worker keeps no run: each of its tasks begins with a replay. */
  coldCaches: boolean;
}): Promise<TestEnvironment> {
  const path = await requireTemporalTestServer();
  const server = { executable: { type: 'existing-path', path } } as const;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server });
  const { localModel } = await readToolchain();
  const { filesRoot, staysInside } = options;
  const folder = (file: string): string => {
    const place = folderOf(resolve(file), filesRoot);
    return staysInside && isAbsolute(place) ? '' : place;
  };
  const lostAnswers = new LostAnswers();
  const worker = await createTactusWorker({
    connection: environment.nativeConnection,
    ...(environment.namespace === undefined ? {} : { namespace: environment.namespace }),
    taskQueue,
    activities: {
      env: process.env,
      filesRoot,
      outerFolders: options.files.map(folder).filter((each) => isAbsolute(each)),
      procedureFolders: [],
      ...(localModel === null ? {} : { localModel }),
    },
    worker: {
      shutdownGraceTime: '1s',
      ...(options.coldCaches ? { maxCachedWorkflows: 0 } : {}),
      interceptors: { activity: [lostAnswers.interceptors] },
    },
  });
  const running = worker.run();
  running.catch(() => undefined); // told by stop
  // The SDK's own client stops the skipping when one of its results has come, whoever else still waits.
  await environment.connection.testService?.unlockTimeSkipping({});
  const client = new Client({ connection: environment.connection });
  return {
    client,
    tactus: new TactusClient(client, { taskQueue }),
    taskQueue,
    lostAnswers,
    folderOf: folder,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running.finally(() => environment.teardown());
    },
  };
}
