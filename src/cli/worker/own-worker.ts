import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { hasLiveWorker } from '../../client/index.js';
import type { RunningWorker, WorkerOnOptions } from '../../worker/index.js';
import { assertRoom, type ServerRecord } from '../../worker/server/index.js';
import type { Screen } from '../command.js';
import { configure, indexPlace, storagePlace, type FilesFolder } from '../configure.js';
import type { Codecs } from '../payloads/codecs.js';

export interface OwnWorkerParts {
  client: Client;
  connectionOptions: WorkerOnOptions['connection'];
  target: { address: string; namespace: string; taskQueue: string };
  /** The embedded server; null where another one was named. */
  embedded: ServerRecord | null;
  /** Where the worker has its files. */
  files: FilesFolder;
  /** Where large payloads are kept; null where nobody has named a place. */
  payloads: string | null;
  /** What encodes payloads. */
  codecs: Codecs;
  screen: Screen;
  isVerbose: boolean;
}

/**
 * The worker that a command brings in its own process.
 *
 * Owns: the one worker that `provide` and `take` have started; not those of `start`, which their caller stops.
 * Invariants:
 *  1. However many ask for it at once, there is one; one that failed to start doesn't count.
 */
export class OwnWorker {
  private worker: Promise<RunningWorker> | null = null;
  private hasBegun = false;

  constructor(private readonly parts: OwnWorkerParts) {}

  get isThere(): boolean {
    return this.worker !== null;
  }

  /** The server remembers a poller after it has ended: one under this process's name counts where this command has begun it. */
  hasLive(): Promise<boolean> {
    const besides = `${process.pid}@${hostname()}`;
    const { client, target } = this.parts;
    return hasLiveWorker(client, target.taskQueue, this.hasBegun ? {} : { besides });
  }

  /**
   * Starts a worker in this process, with the embedded server alone: `performs` for a command that follows a run;
   * one that only asks needs none where another process has one.
   */
  async provide(need: { performs: boolean; onText?: NonNullable<WorkerOnOptions['onText']> }): Promise<void> {
    if (this.parts.embedded === null) return;
    if (need.performs) assertRoom(process.cwd());
    if (this.worker === null && !need.performs && (await this.hasLive())) return;
    await this.take(need);
  }

  /** Starts it whether or not another process has one. */
  take(need: Parameters<OwnWorker['provide']>[0]): Promise<RunningWorker> {
    const starting = (this.worker ??= this.start({ ...need, procedureFolders: [process.cwd()] }));
    starting.catch(() => {
      if (this.worker === starting) this.worker = null;
    });
    return starting;
  }

  /** A worker that the caller stops. @throws TactusError config_invalid */
  async start(
    options: Pick<WorkerOnOptions, 'performs' | 'warms' | 'procedureFolders' | 'onText' | 'streams'>,
  ): Promise<RunningWorker> {
    const { screen, embedded, target, codecs } = this.parts;
    const { tools, callQueues, tenantBudgets, authorityKeys, links, reach, worker } = await configure(
      null,
      {},
      screen,
    );
    const { linkSigner } = await import('../authority/link-signer.js');
    // Half a second of loading, which commands without a worker do without.
    const { readWorkerSettings } = await import('../../worker/settings.schema.js');
    const { quietRuntime, workerOn } = await import('../../worker/index.js');
    const settings = readWorkerSettings(worker, process.env);
    quietRuntime({
      verbose: this.parts.isVerbose,
      // One that is there for a moment has nothing for whoever looks every 15 s.
      ...(options.warms === true ? { metrics: settings.metrics } : {}),
      write: (...line) => screen.log(...line),
    });
    this.hasBegun = true;
    return workerOn({
      ...options,
      connection: this.parts.connectionOptions,
      namespace: target.namespace,
      taskQueue: target.taskQueue,
      workingFolder: process.cwd(),
      filesRoot: this.parts.files.path,
      storage: storagePlace(embedded !== null),
      index: indexPlace(embedded !== null),
      payloads: this.parts.payloads,
      // Of a server that is this folder's alone, nobody brings a worker by and by.
      failsWithoutOthers: embedded !== null,
      codec: codecs.settings,
      dataConverter: codecs.dataConverter,
      tools,
      callQueues,
      tenantBudgets,
      authorityKeys,
      // Commands that only ask need no key.
      links: options.performs ? linkSigner(links, authorityKeys) : null,
      reach,
      settings,
      onTrouble: (problem) => screen.warn(problem),
    });
  }

  /** Before something is started that the worker of this command would only get into its hands to drop it. */
  async end(): Promise<void> {
    const worker = await this.worker?.catch(() => null);
    await worker?.stop();
    this.worker = null;
  }
}
