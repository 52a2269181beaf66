import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection, type NativeConnectionOptions, type Worker } from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { defined } from '../contract/json/json.js';
import type { ActivityDeps } from '../activities/index.js';
import type { CallQueues } from '../configuration/call-queues.js';
import type { TenantBudgets } from '../contract/budgets/tenant-budget.js';
import { openMirror } from '../client/storage/index.js';
import type { CodecSettings } from '../contract/payloads/codec-settings.js';
import type { Reach } from '../contract/people/channels/channel.js';
import { configuredTools, type ToolConfiguration } from './tools/configured-tools.js';
import type { VerificationKeys } from '../contract/authority/authority.js';
import { servedQueues } from './call-queues.js';
import { createModelWorker } from './predictions/create-model-worker.js';
import { createMirroringWorker, type MirroringWorker } from './create-tactus-worker.js';
import { openRunIndex } from '../read-model/open-run-index.js';
import type { StreamPublisher } from '../streams/run-streams.js';
import { openTraces } from '../traces/index.js';
import { openStreams } from '../streams/nats-streams.js';
import { isOfPython, type WarmModel } from '../contract/predictions/loaded-models.js';
import {
  corporaSettings,
  modelSettings,
  protectedPaths,
  warmModelsOf,
  withoutPayloadKeys,
} from './worker-environment.js';
import { withEncodeRetries, withFailures, withPutRetries } from './payloads/codecs/configured-codecs.js';
import { openPayloadStore } from './payloads/store/open-payload-store.js';
import { withPayloadStore } from './payloads/store/payload-store.js';
import { readToolchain } from './toolchain.js';
import type { Probe } from '../client/index.js';
import { workerProbes } from './health/worker-probes.js';
import { modelWorkerOptions, sdkOptions, type WorkerSettings } from './settings.schema.js';
import { openTenantBudgets } from './tenant-budgets.js';
import { whenServerAnswers } from './when-server-answers.js';

export interface WorkerOnOptions {
  connection: NativeConnectionOptions;
  namespace: string;
  taskQueue: string;
  /** Where configuration is looked for. */
  workingFolder: string;
  /** Procedures read and write files below it. */
  filesRoot: string;
  /** Where procedures that are started by name are looked for. */
  procedureFolders: readonly string[];
  /** Whether it calls models and reads files, or answers questions about runs only. */
  performs: boolean;
  /** Whether it is there for long, and so loads the models that the environment wants in memory; left out: it doesn't. */
  warms?: boolean;
  /** Where runs are mirrored: what `openMirror` takes. */
  storage: string | null;
  /** Where lists of runs are kept: `postgres://…`, or the path of a file. */
  index: string | null;
  /** Where payloads are kept that the server refuses for their size: a folder, or `s3://…`. */
  payloads: string | null;
  /** Whether a call fails at once for want of a key where no other worker polls the task queue. */
  failsWithoutOthers?: boolean;
  /** What encodes payloads. */
  codec: CodecSettings;
  /** With its codecs. */
  dataConverter: DataConverter;
  /** What configuration says of tools. */
  tools: ToolConfiguration;
  /** What all runs of a tenant may use together. */
  tenantBudgets: TenantBudgets;
  /** Task queues of their own for calls: a worker that performs calls serves them too. */
  callQueues: CallQueues;
  /** Keys of those who sign decisions. */
  authorityKeys: VerificationKeys;
  /** What links are signed with that answer a request; null: there are none. */
  links: NonNullable<ActivityDeps['links']> | null;
  /** How people are reached. */
  reach: Reach;
  onText?: NonNullable<ActivityDeps['onText']>;
  /** Where it puts what agents say; left out: where the environment says. Whoever gives it closes it. */
  streams?: StreamPublisher;
  /** How it works: slots, cache, times. */
  settings: WorkerSettings;
  /** Told of what goes wrong beside the runs. */
  onTrouble?: (problem: string) => void;
}

/** A worker of this process that has begun. */
export interface RunningWorker {
  /** Rejects where the worker fails. */
  ended: Promise<void>;
  /** What must hold for it to be ready for work. */
  probes: Probe[];
  /** Lets activities in flight end for a while, and gives everything else back to the server at once. */
  stop(): Promise<void>;
}

/** What can't be encoded is waited for as long as it ends, in ms. */
const giveUpMs = 10_000;
/** How often a worker that is to end is looked at, whether it has begun. */
const beginMs = 20;

/** Workers on one connection. */
interface Begun extends MirroringWorker {
  connection: NativeConnection;
  ofCalls: readonly Worker[];
}

/** Starts a worker on a server, with this process's environment, models and files. */
export async function workerOn(options: WorkerOnOptions): Promise<RunningWorker> {
  const { namespace, taskQueue, workingFolder, filesRoot, procedureFolders } = options;
  const { performs, payloads, onText, settings } = options;
  const { gate_archives: gateArchives } = settings;
  const queues = performs ? servedQueues(options.callQueues, taskQueue) : [];
  const budgets = performs ? await openTenantBudgets(options) : null;
  const tools = await configuredTools(options.tools, workingFolder);
  const { localModel } = await readToolchain();
  const ownStreams =
    performs && options.streams === undefined
      ? openStreams(process.env, (problem) => options.onTrouble?.(`streams: ${problem}`))
      : null;
  const streams = options.streams ?? ownStreams;
  const traces = openTraces(process.env, (problem) => options.onTrouble?.(problem));
  const storage = options.storage === null ? null : await openMirror(options.storage);
  const index = options.index === null ? null : await openRunIndex(options.index);
  const warm = options.warms === true ? warmModelsOf(process.env).filter((each) => !isOfPython(each)) : [];
  const activities = {
    env: withoutPayloadKeys(process.env, options.codec),
    workingFolder,
    filesRoot,
    keptPaths: protectedPaths({ ...options, env: process.env }, workingFolder),
    procedureFolders: procedureFolders.map((folder) => join(folder)),
    localModel,
    ...modelSettings(process.env, workingFolder),
    ...corporaSettings(process.env, workingFolder),
    ...tools,
    failsWithoutOthers: options.failsWithoutOthers === true,
    authorityKeys: options.authorityKeys,
    // One that only answers questions tells nobody.
    ...(performs ? options.reach : {}),
    ...(options.links === null ? {} : { links: options.links }),
    ...(budgets === null ? {} : { tenantBudgets: budgets.keeper }),
    ...defined({ onText }),
    ...(streams === null ? {} : { streams }),
  };
  const giveUp = new AbortController();
  const patience = {
    signal: giveUp.signal,
    tell: onceEach((problem) => options.onTrouble?.(`${problem}. Results wait for it`)),
  };
  const dataConverter = withEncodeRetries(withFailures(options.dataConverter, options.codec), patience);
  const payloadStore = payloads === null ? undefined : withPutRetries(openPayloadStore(payloads), patience);
  const isElsewhere = ({ type }: WarmModel): boolean => queues.some(({ models }) => models.includes(type));
  const begin = async (): Promise<Begun> => {
    const connection = await NativeConnection.connect(options.connection);
    try {
      const created = await createMirroringWorker({
        ...{ connection, namespace, taskQueue },
        // Models of a queue of their own are asked there.
        activities: { ...activities, warmModels: warm.filter((model) => !isElsewhere(model)) },
        ...(storage === null ? {} : { storage }),
        // A write that is under way at the end finds them closed: the next worker writes it.
        onMirrorError: onceEachError((problem) => {
          if (!giveUp.signal.aborted) options.onTrouble?.(`storage or index: ${problem}`);
        }),
        ...(index === null ? {} : { index }),
        ...(traces === null ? {} : { traces }),
        ...defined({
          payloadStore,
          stackTraces: settings.stack_traces,
          gateArchives: gateArchives === undefined ? undefined : resolve(workingFolder, gateArchives),
        }),
        // One that answers questions has no time for all open runs.
        reconcile: performs,
        worker: { ...sdkOptions(settings), enableNonLocalActivities: performs, dataConverter },
      });
      const ofCalls = await Promise.all(
        queues.map(({ models, ...queue }) =>
          createModelWorker({
            ...{ ...queue, connection, namespace },
            worker: {
              ...modelWorkerOptions(settings),
              dataConverter: withPayloadStore(dataConverter, payloadStore),
            },
            activities: { ...activities, warmModels: warm.filter(({ type }) => models.includes(type)) },
          }),
        ),
      );
      return { ...created, ofCalls, connection };
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  };
  const begun = await whenServerAnswers(begin, {
    address: options.connection.address ?? 'localhost:7233',
    tell: (problem) => options.onTrouble?.(problem),
  });
  const { connection, mirror: writer } = begun;
  const workers = [begun.worker, ...begun.ofCalls];
  const stop = (): void => {
    for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
  };
  // Where one fails, all end.
  const ended = Promise.all(workers.map((each) => each.run().finally(stop)))
    .then(() => undefined)
    .finally(() => connection.close());
  // Told to whoever awaits it; a command that has all it wants doesn't.
  ended.catch(() => undefined);
  return {
    ended,
    probes: workerProbes({ ...begun, workers }, settings.ready_lag),
    stop: async () => {
      const late = setTimeout(() => giveUp.abort(), giveUpMs);
      await Promise.race([ended.catch(() => undefined), Promise.all(workers.map(untilBegun))]);
      // Before the shutdown: the mirror asks this worker for what it has missed.
      await writer?.settle();
      stop();
      await ended.catch(() => undefined);
      clearTimeout(late);
      giveUp.abort();
      await traces?.close();
      await ownStreams?.close();
      await index?.close();
      await budgets?.close();
      await storage?.close?.();
    },
  };
}

/** One that is told to end before it has begun would begin all the same, and never end. */
async function untilBegun(worker: Worker): Promise<void> {
  while (worker.getState() === 'INITIALIZED') await delay(beginMs);
}

/** A write is tried again and again: what is wrong with it is told the first time. */
function onceEachError(tell: (problem: string) => void): (runId: string, error: unknown) => void {
  const once = onceEach(tell);
  return (_runId, error) => {
    // A refused connection to several addresses has no message of its own.
    const { message = '', code = '' } = error as { message?: string; code?: string };
    once(message === '' ? code : message);
  };
}

function onceEach(tell: (problem: string) => void): (problem: string) => void {
  const told = new Set<string>();
  return (problem) => {
    if (!told.has(problem)) tell(problem);
    told.add(problem);
  };
}
