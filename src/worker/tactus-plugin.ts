import { claimIndex, packAnswers, serverRunWithEnd } from '../client/index.js';
import { Client, type ClientOptions, type ClientPlugin } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type {
  BundleOptions,
  BundlerPlugin,
  ReplayWorkerOptions,
  Worker,
  WorkerOptions,
  WorkerPlugin,
  WorkflowBundleOption,
} from '@temporalio/worker';
import { bundleWorkflowCode, Runtime } from '@temporalio/worker';
import { type ActivityDeps, createModelHost, type ToolHost, toolHosts } from '../activities/index.js';
import { encodedBy, type StorageBackend } from '../client/storage/index.js';
import { TactusError } from '../contract/errors.js';
import { assertLimits, type Limits } from '../contract/runs/limits.js';
import {
  defaultTaskQueue,
  encodedFailuresFlag,
  metricsFlag,
  lastAnswersFlag,
  mirrorFlag,
  pluginName,
} from '../contract/names.js';
import type { RunIndex } from '../read-model/run-index.js';
import { gateActivities } from './deployments/replay-gate.js';
import { clientReader } from './storage/mirror/mirror-catch-up.js';
import { IndexFeeder } from './storage/mirror/index-feeder.js';
import { ActivityMeter } from './health/activity-meter.js';
import { exportedMeter } from './health/quiet-runtime.js';
import { FeedMeter } from './storage/mirror/feed-meter.js';
import { MirrorWriter } from './storage/mirror/mirror-writer.js';
import { encodesFailures } from './payloads/codecs/configured-codecs.js';
import { storesLargePayloads, withPayloadStore, type PayloadStore } from './payloads/store/payload-store.js';
import { assertHasTactus, withOwnWorkflows } from './bundles/bundle-workflows.js';
import type { Traces } from '../traces/index.js';
import { tracedActivities } from './traces/traced-activities.js';
import { TraceWriter } from './traces/trace-writer.js';
import { beginWarming } from './predictions/create-model-worker.js';
import { runSinks, silentSinks } from './runs/run-sinks.js';
import { knowsAttributes, workerActivities } from './worker-activities.js';
import { compiledFolder, preparedBundle, workflowBundle } from './bundles/workflow-bundle.js';

export interface TactusPluginOptions {
  /** What the activities of a worker get: keys, folders, the local model. Clients and replays do without. */
  activities?: ActivityDeps;
  /** Where procedures are run: the queue of workers that name none, and of `TactusClient`s on a client with this plugin. */
  taskQueue?: string;
  /**
   * Where logs are kept that have grown too large for a history, the same for all workers of the task queue, and for
   * clients that read histories. Left out: they go to the `externalStorage` of the worker's data converter, where it has
   * one; else a run with such a log goes on in one execution for as long as the server allows, and then fails.
   */
  payloadStore?: PayloadStore;
  /**
   * Limits of runs that name none: timeouts, heartbeats and attempts of calls among them. They become part of a run when
   * it starts, so a replay has the same whatever the worker says by then: of the start input where a `TactusClient` with
   * this plugin starts it, else of the history where a worker with it looks the procedure up by name.
   */
  limits?: Partial<Limits>;
  /**
   * Where the status, state and log of runs are mirrored for the Tactus API. A worker whose data converter has payload codecs has states and results
   * pass through them: an `EncodedStorage` with the same ones reads them. Left out: nowhere.
   */
  storage?: StorageBackend;
  /** Where lists of runs and of what they ask are kept, for clients that read them there. Left out: nowhere. */
  index?: RunIndex;
  /** Takes the spans of runs: what `openTraces` gives. Whoever gives it closes it. Left out: none are made. */
  traces?: Traces;
  /** Folder of archives that the gate replays before the worker's version is given runs, besides runs of the server. Left out: none. */
  gateArchives?: string;
  /**
   * Whether Temporal's query `__stack_trace` shows where workflow code waits, which costs a quarter of the CPU that workflows
   * take. Left out: only where the worker runs workflows of your own.
   */
  stackTraces?: boolean;
  /** Told of a mirror or index write that failed; the run goes on, and the write is tried again. */
  onMirrorError?: (runId: string, error: unknown) => void;
  /**
   * Whether the mirror catches up, when the worker runs, with what happened while none was there, and looks each minute for what no run tells.
   * Left out: true.
   */
  reconcile?: boolean;
}

/**
 * Runs procedures beside workflows of your own, in one plugin for workers, bundles, replays and clients:
 * `Worker.create({ plugins: [plugin], … })`, `bundleWorkflowCode({ plugins: [plugin], … })`,
 * `Worker.runReplayHistory({ plugins: [plugin] }, …)`, `new Client({ plugins: [plugin], … })`.
 *
 * With `workflowsPath` our workflow is bundled with yours; with neither that nor a bundle the worker runs ours alone.
 */
export class TactusPlugin implements WorkerPlugin, BundlerPlugin, ClientPlugin {
  readonly name = pluginName;
  readonly taskQueue: string;
  readonly limits: Partial<Limits>;
  private writer: MirrorWriter | null = null;
  private feeder: IndexFeeder | null = null;
  private readonly hosts: ToolHost[] = [];
  private readonly models = createModelHost();

  /** @throws TactusError input_invalid where a limit is one that no worker can keep */
  constructor(private readonly options: TactusPluginOptions = {}) {
    this.taskQueue = options.taskQueue ?? defaultTaskQueue;
    this.limits = options.limits ?? {};
    assertLimits(this.limits);
  }

  /** What feeds the storage, of the worker that was made last; null where there is none. */
  get mirror(): MirrorWriter | null {
    return this.writer;
  }

  /** Since when the index waits to be fed by the worker that was made last, in ms since 1970; null where there is none. */
  get indexFeed(): { readonly toldAt: number | null } | null {
    return this.feeder;
  }

  /** @throws TactusError usage where the options don't suffice, or the worker's own bundle hasn't our workflow */
  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    const { activities: deps, payloadStore, limits } = this.options;
    const traces = this.options.traces === undefined ? null : new TraceWriter(this.options.traces);
    if (deps === undefined) throw new TactusError('usage', 'A worker needs the activities of TactusPlugin');
    const dataConverter = this.dataConverter(options.dataConverter);
    this.writer = this.mirrorOf(options, dataConverter);
    this.feeder = this.feederOf(options, dataConverter);
    const stores = storesLargePayloads(payloadStore !== undefined, options.dataConverter);
    const hasSearchAttributes = knowsAttributes(options);
    const hosts = toolHosts(deps);
    this.hosts.push(...hosts);
    const { namespace = 'default', taskQueue } = options;
    const tags = { namespace, task_queue: taskQueue || this.taskQueue };
    const meter = new ActivityMeter(Runtime.instance().metricMeter, tags);
    const own = { ...deps, hasSearchAttributes, storesLargePayloads: stores, ...(limits && { limits }) };
    const isMeasured = exportedMeter() !== null;
    const workflows = await this.withWorkflows(options, isMeasured);
    const gate = gateActivities({
      archives: this.options.gateArchives ?? null,
      replayOptions: async () => ({ ...(await this.bundled(workflows)), dataConverter }),
    });
    return {
      ...workflows,
      taskQueue: tags.task_queue,
      activities: {
        ...options.activities,
        ...meter.measured(workerActivities(own, hosts, this.models)),
        ...gate,
      },
      dataConverter,
      interceptors: {
        ...options.interceptors,
        activity: [...(options.interceptors?.activity ?? []), tracedActivities(traces !== null)],
      },
      sinks: {
        ...options.sinks,
        ...runSinks({ writer: this.writer, feeder: this.feeder, traces }, tags),
      },
    };
  }

  /** @throws TactusError usage where the bundle hasn't our workflow */
  async configureReplayWorker(options: ReplayWorkerOptions): Promise<ReplayWorkerOptions> {
    return {
      ...(await this.withWorkflows(options)),
      dataConverter: this.dataConverter(options.dataConverter),
      sinks: { ...options.sinks, ...silentSinks },
    };
  }

  configureBundler(options: BundleOptions): BundleOptions {
    return withOwnWorkflows(options, compiledFolder());
  }

  configureClient<T extends Omit<ClientOptions, 'plugins'>>(options: T): T {
    return { ...options, dataConverter: this.dataConverter(options.dataConverter) };
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    if (this.options.reconcile !== false) {
      this.writer?.reconcile().catch((error: unknown) => this.options.onMirrorError?.('', error));
      this.writer?.watch();
    }
    await this.feeder?.begin();
    const endWarming = beginWarming(this.options.activities, this.models);
    try {
      await next(worker);
    } finally {
      endWarming();
      this.writer?.unwatch();
      await this.feeder?.settle();
      this.models.close();
      await Promise.all(this.hosts.map((host) => host.close()));
    }
  }

  private dataConverter(given: DataConverter | undefined): DataConverter {
    return withPayloadStore(given, this.options.payloadStore);
  }

  /** Somebody's own workflows get ours by the bundler. */
  private async withWorkflows<T extends WorkerOptions | ReplayWorkerOptions>(
    options: T,
    isMeasured = false,
  ): Promise<T> {
    const { workflowBundle: given, workflowsPath, ...others } = options;
    const isOwn = given === undefined && workflowsPath === undefined;
    const prepared = {
      flags: this.flagsOf(options, isMeasured),
      stackTraces: this.options.stackTraces ?? !isOwn,
    };
    if (given !== undefined) await assertHasTactus(given);
    if (workflowsPath === undefined || given !== undefined)
      return {
        ...options,
        workflowBundle: await preparedBundle(given ?? (await workflowBundle()), prepared),
      };
    if (prepared.flags.length === 0 && prepared.stackTraces) return options;
    const { workflowBundle: bundle } = await this.bundled(options);
    return { ...others, workflowBundle: await preparedBundle(bundle, prepared) } as T;
  }

  /** The code of a worker, which the SDK may have yet to bundle. */
  private async bundled({
    workflowBundle: given,
    workflowsPath,
    bundlerOptions,
  }: Pick<ReplayWorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'>): Promise<{
    workflowBundle: WorkflowBundleOption;
  }> {
    if (given !== undefined) return { workflowBundle: given };
    const path = workflowsPath ?? '';
    return {
      workflowBundle: await bundleWorkflowCode({ ...bundlerOptions, workflowsPath: path, plugins: [this] }),
    };
  }

  /** Runs tell of themselves only where their code says that somebody stores or counts it, and encode what they fail with where it says so. */
  private flagsOf({ dataConverter }: Pick<WorkerOptions, 'dataConverter'>, isMeasured: boolean): string[] {
    return [
      ...(this.isMirrored ? [mirrorFlag] : []),
      ...(this.options.index === undefined ? [] : [lastAnswersFlag]),
      ...(isMeasured ? [metricsFlag] : []),
      ...(encodesFailures(dataConverter) ? [encodedFailuresFlag] : []),
    ];
  }

  private get isMirrored(): boolean {
    const { storage, index, traces } = this.options;
    return (storage ?? index ?? traces) !== undefined;
  }

  private mirrorOf(
    { connection, namespace = 'default', taskQueue = this.taskQueue, dataConverter: given }: WorkerOptions,
    dataConverter: DataConverter,
  ): MirrorWriter | null {
    const { storage, onMirrorError: onError = () => undefined } = this.options;
    if (storage === undefined) return null;
    if (connection === undefined)
      throw new TactusError('usage', 'A worker with a storage of TactusPlugin must be given its connection');
    const client = new Client({ connection, namespace, dataConverter });
    const meter = new FeedMeter('mirror', Runtime.instance().metricMeter, {
      namespace,
      task_queue: taskQueue,
    });
    const encoded = encodedBy(storage, given?.payloadCodecs, namespace);
    return new MirrorWriter(encoded, clientReader(client), { onError, meter });
  }

  private feederOf(
    { connection, namespace = 'default', taskQueue = this.taskQueue, dataConverter: given }: WorkerOptions,
    dataConverter: DataConverter,
  ): IndexFeeder | null {
    const { index, onMirrorError: onError = () => undefined } = this.options;
    if (index === undefined) return null;
    if (connection === undefined)
      throw new TactusError('usage', 'A worker with an index of TactusPlugin must be given its connection');
    const client = new Client({ connection, namespace, dataConverter });
    const claim = (): Promise<void> => claimIndex(client, index);
    const meter = new FeedMeter('index', Runtime.instance().metricMeter, {
      namespace,
      task_queue: taskQueue,
    });
    const codec = { codecs: given?.payloadCodecs ?? [], namespace };
    return new IndexFeeder(index, {
      look: (runId) => serverRunWithEnd(client, runId),
      pack: (execution, answers) => packAnswers(execution, answers, codec),
      ...{ claim, onError, meter },
    });
  }
}
