import { isAbsolute, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import {
  InternalConnectionOptionsSymbol,
  type InternalConnectionOptions,
} from '@temporalio/client/lib/connection.js';
import { NativeConnection, Runtime, type ActivityInterceptors } from '@temporalio/worker';
import { ApplicationFailure } from '@temporalio/common';
import type { Context } from '@temporalio/activity';
import type { ActivityDeps } from '../../activities/index.js';
import { folderOf } from '../../sources/find-procedure.js';
import { TactusClient } from '../../client/index.js';
import { createTactusWorker } from '../create-tactus-worker.js';
import { ScenarioFiles } from './scenario-files.js';
import { PresentServers, type Begun, type OneServer, type PresentPlace } from './present-servers.js';
import { readToolchain, requireTemporalTestServer } from '../toolchain.js';
import { freePort } from '../server/embedded-server/free-port.js';

/** A server that skips time while all runs wait, and a worker on it. */
export interface TestEnvironment {
  /** A client of Temporal's own for the server. */
  client: Client;
  /** Starts, answers and reads runs there. */
  tactus: TactusClient;
  /** `host:port` of the server, for workers and clients of your own. */
  address: string;
  taskQueue: string;
  /** Its worker keeps no run. */
  coldCaches: boolean;
  /** What the worker does and never tells of. */
  lostAnswers: LostAnswers;
  /**
   * Begins something where it is the present time: here, or on another such server where time was skipped here. Time is
   * skipped there once it has begun. Its server goes on until `end` is called, or this environment is stopped.
   */
  atPresent<T>(begin: (place: PresentPlace) => Promise<T>): Promise<Begun<T>>;
  /** Folders of files of runs, each with its own; null: all share one that was named. */
  ownFiles: ScenarioFiles | null;
  /** Where one of the files lies, as a run is told. */
  folderOf(file: string): string;
  /** Ends the worker and the server; runs are gone with it. */
  stop(): Promise<void>;
}

export interface TestEnvironmentOptions {
  /** Procedures read and write files below it; left out: each scenario, and each case, has a folder of its own (`ownFiles`). */
  filesRoot?: string;
  /**
   * Each scenario, and each case, has a folder of its own for files, which begins with its fixtures and is removed as it ends.
   * `filesRoot` is what a worker would use then, and is not written to; left out: true where there is no `filesRoot`.
   */
  ownFiles?: boolean;
  /** These folders are not removed. */
  keepFiles?: boolean;
  /** `tactus.io` too stays in that folder; else it works beside each of `files`, wherever that is. */
  staysInside?: boolean;
  /** Procedures that are tested and lie outside of `filesRoot`. */
  files?: readonly string[];
  /** The worker keeps no run: each of its tasks begins with a replay. Needed to run scenarios twice, or with crashes. */
  coldCaches?: boolean;
  /** What else the activities get: `env` with keys and base URLs (left out: that of this process), `fetch`, `onText` … */
  activities?: Partial<Omit<ActivityDeps, 'filesRoot' | 'filesOf' | 'outerFolders'>>;
}

const taskQueue = 'tactus-test';

/**
 * One task at a time: where no run may be kept, the SDK drops one whose local activity is still at work as soon as the
 * task of another run comes in. Its task is never answered then, and what it did is done again ten seconds later.
 */
const coldCache = { maxCachedWorkflows: 0, maxConcurrentWorkflowTaskExecutions: 1 };

/**
 * Starts both, for as long as they are needed; nothing is kept. Timeouts and sleeps of days take no time: time is
 * skipped whenever every run on the server waits.
 * @throws TactusError server_unreachable where the server can't be had
 */
export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const lostAnswers = new LostAnswers();
  const { filesRoot, ownFiles: hasOwn = filesRoot === undefined, keepFiles = false } = options;
  const ownFiles = hasOwn ? ScenarioFiles.make(keepFiles) : null;
  const shared = { lostAnswers, ownFiles };
  const first = await startOne(options, shared).catch(async (error: unknown) => {
    await ownFiles?.remove();
    throw error;
  });
  const servers = new PresentServers(first, () => startOne(options, shared));
  const { client, tactus, address, coldCaches, folderOf: folder } = first;
  return {
    ...{ client, tactus, address, taskQueue, coldCaches, lostAnswers, ownFiles, folderOf: folder },
    atPresent: (begin) => servers.begin(begin),
    stop: () => servers.stop().finally(() => ownFiles?.remove()),
  };
}

async function startOne(
  options: TestEnvironmentOptions,
  { lostAnswers, ownFiles }: { lostAnswers: LostAnswers; ownFiles: ScenarioFiles | null },
): Promise<OneServer> {
  const { filesRoot = process.cwd(), staysInside = false, files = [], coldCaches = false } = options;
  const server = await startTimeSkippingServer();
  const { address } = server;
  // How the SDK's own package for tests has the calls that hold time.
  const connectionOptions: InternalConnectionOptions = {
    address,
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  };
  const connection = await Connection.connect(connectionOptions);
  const nativeConnection = await NativeConnection.connect({ address });
  const { localModel } = await readToolchain();
  const folder = (file: string): string => {
    const place = folderOf(resolve(file), filesRoot);
    return staysInside && isAbsolute(place) ? '' : place;
  };
  const worker = await createTactusWorker({
    connection: nativeConnection,
    taskQueue,
    activities: {
      env: process.env,
      procedureFolders: [],
      ...(localModel === null ? {} : { localModel }),
      ...options.activities,
      failsWithoutOthers: true,
      filesRoot,
      ...(ownFiles === null ? {} : { filesOf: (runId: string) => ownFiles.of(runId) }),
      outerFolders: files.map(folder).filter((each) => isAbsolute(each)),
    },
    worker: {
      shutdownGraceTime: '1s',
      ...(coldCaches ? coldCache : {}),
      interceptors: { activity: [lostAnswers.interceptors] },
    },
  });
  const running = worker.run();
  running.catch(() => undefined); // told by stop
  const client = new Client({ connection });
  return {
    client,
    tactus: new TactusClient(client, { taskQueue }),
    ...{ address, coldCaches },
    folderOf: folder,
    clock: clockOf(connection),
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running.finally(async () => {
        await connection.close();
        await nativeConnection.close();
        await server.stop();
      });
    },
  };
}

function clockOf({ testService }: Connection): OneServer['clock'] {
  if (testService === undefined)
    throw new Error('the SDK has no calls that hold the time of its test server');
  return {
    hold: async () => void (await testService.lockTimeSkipping({})),
    release: async () => void (await testService.unlockTimeSkipping({})),
    now: async () => {
      const { time } = await testService.getCurrentTime({});
      return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
    },
  };
}

/** A Temporal server whose time is skipped while all runs wait. */
interface TimeSkippingServer {
  /** `host:port`. */
  address: string;
  stop(): Promise<void>;
}

/**
 * Starts the server in a process that ends with this one; nothing is kept. It is the SDK's own way, which its package
 * for tests goes too: that package would bring a second SDK where a project has another version of it.
 * @throws TactusError server_unreachable where the server can't be had
 */
async function startTimeSkippingServer(): Promise<TimeSkippingServer> {
  const path = await requireTemporalTestServer();
  const runtime = Runtime.instance();
  const port = await freePort();
  const server = await runtime.createEphemeralServer({
    type: 'time-skipping',
    exe: { type: 'existing-path', path },
    port,
    // Time passes from the beginning, and not only while somebody waits for a result.
    extraArgs: ['--enable-time-skipping'],
  });
  return { address: `127.0.0.1:${port}`, stop: () => runtime.shutdownEphemeralServer(server) };
}

/**
 * Makes a worker behave, for some runs, as one that crashes after each of its activities: what was done is done, but
 * nobody hears of it, and it is asked for again.
 */
class LostAnswers {
  private readonly counts = new Map<string, number>();

  /** From now on the first answer to each activity of a run, and of those that it starts, is lost. */
  loseFor(runId: string): void {
    this.counts.set(runId, 0);
  }

  /** How many answers a run has lost. */
  countOf(runId: string): number {
    return this.counts.get(runId) ?? 0;
  }

  readonly interceptors = ({ info }: Context): ActivityInterceptors => ({
    inbound: {
      execute: async (input, next) => {
        const answer: unknown = await next(input);
        const runId = this.ownerOf(info.workflowExecution?.workflowId ?? '');
        // A pause between two tasks of a run does nothing that could be done twice.
        if (runId === undefined || info.attempt > 1 || info.activityType === 'breathe') return answer;
        this.counts.set(runId, this.countOf(runId) + 1);
        throw ApplicationFailure.create({
          message: 'its worker crashed',
          type: 'crashed',
          nextRetryDelay: 1,
        });
      },
    },
  });

  private ownerOf(workflowId: string): string | undefined {
    return [...this.counts.keys()].find(
      (runId) => workflowId === runId || workflowId.startsWith(`${runId}/`),
    );
  }
}
