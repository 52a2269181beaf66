import { Client } from '@temporalio/client';
import type { LedgerEventView, LedgerFilter } from '../contract/graphs/ledger.js';
import type { Decision, Verdict } from '../contract/people/decision.js';
import type { HumanRequest } from '../contract/people/human-request.js';
import { defined, type JsonValue } from '../contract/json/json.js';
import { type Limits } from '../contract/runs/limits.js';
import type { LastAnswers } from '../contract/runs/run-view.js';
import { type ProcedureSource } from '../contract/procedures/source.js';
import type { IndexedRequestFilter, IndexedRunFilter, RunCountFilter } from '../read-model/run-index.js';
import type { StreamReader } from '../streams/run-streams.js';
import { runDefaults, type TactusClientOptions } from './client-options.js';
import { IndexedLists } from './lists/indexed-lists.js';
import { readLastAnswers } from './lists/last-answers.js';
import {
  ServerLists,
  type RequestList,
  type RunCounts,
  type RunIdFilter,
  type RunList,
  type RunLists,
} from './lists/list-runs.js';
import { HeldTargets, HoldsReader } from './changes/holds.js';
import { PublishedProcedures } from './procedures/published.js';
import { pendingBelow, runIdOf } from './people/open-requests.js';
import { ShownRequests } from './people/shown-requests.js';
import { awaitedResult, type ExecuteProcedureOptions } from './runs/awaited-result.js';
import type { CompareOptions, Comparison } from './scores/compare.js';
import { ScoresOfRuns } from './scores/run-scores.js';
import { ProcedureSchedules } from './time/procedure-schedules.js';
import {
  attributesOfRuns,
  knownSearchAttributes,
  type NamespaceAttributes,
} from './lists/search-attributes.js';
import { type StartOptions, type StartsWith } from './runs/start-input.js';
import type { CarriedStart } from './runs/carried-start.js';
import { startCarried, startProcedure } from './runs/start-run.js';
import type { RetryOptions } from './changes/retry.js';
import type { ForkOptions } from './runs/read-fork.js';
import type { Import, ImportOptions } from './runs/import/read-import.js';
import type { ProcedureMetadata } from './storage/procedure-metadata.js';
import { TactusRun } from './tactus-run.js';

/** Starts, answers and reads runs of procedures, over a Temporal client of yours. */
export class TactusClient {
  /** Where it starts runs. */
  readonly taskQueue: string;
  /** Versions of procedures that the cluster keeps under their names. */
  readonly published: PublishedProcedures;
  /** What is held over many runs. */
  readonly holds: HeldTargets;
  private readonly heldStarts = new HoldsReader();
  /** What people and programs think of runs. */
  readonly scores: ScoresOfRuns;
  private readonly limits: Partial<Limits> | undefined;
  private readonly streams: StreamReader | null;
  private readonly lists: RunLists;
  private readonly shownRequests = new ShownRequests();
  private readonly knownAttributes: () => Promise<NamespaceAttributes>;

  constructor(
    readonly client: Client,
    private readonly options: TactusClientOptions = {},
  ) {
    ({ taskQueue: this.taskQueue, limits: this.limits } = runDefaults(client, options));
    this.published = new PublishedProcedures(client, this.taskQueue, (...start) => this.start(...start));
    this.holds = new HeldTargets(client, this.taskQueue);
    this.scores = new ScoresOfRuns(client, this.taskQueue);
    this.streams = options.streams ?? null;
    const { namespace } = client.options;
    this.knownAttributes = knownSearchAttributes(client.connection, namespace, options.searchAttributes);
    this.lists =
      options.index === undefined
        ? new ServerLists(client, this.knownAttributes)
        : new IndexedLists(client, options.index);
  }

  /** The same client under another identity: Temporal writes it into the history of runs, with what the client sends. */
  as(identity: string): TactusClient {
    const { connection, options } = this.client;
    const { namespace, dataConverter, interceptors } = options;
    const client = new Client({
      ...{ connection, namespace, identity },
      ...defined({ dataConverter, interceptors }),
    });
    const { taskQueue, limits } = this;
    return new TactusClient(client, { ...this.options, taskQueue, ...defined({ limits }) });
  }

  /** Runs that start by themselves, by a calendar or every so often. */
  get schedules(): ProcedureSchedules {
    return new ProcedureSchedules(this.client, this.taskQueue, () => this.startsWith());
  }

  /**
   * Starts a procedure. What can be refused is refused here, with nothing started. Where the id has a run whose main part is a graph, and
   * that has ended, another input or message begins its next turn.
   * @throws TactusError source_invalid, no_procedure, input_invalid; run_conflict where the id has another source, input or task, or
   *   its turn is under way
   */
  async start(
    source: ProcedureSource,
    input: JsonValue = {},
    options: StartOptions = {},
  ): Promise<TactusRun> {
    const { client, taskQueue, heldStarts: holds } = this;
    const { storage } = this.options;
    const place = { client, taskQueue, holds, storage, startsWith: await this.startsWith() };
    return this.attach(await startProcedure(place, source, input, options));
  }

  /**
   * Starts a procedure and waits for its output. Where no worker polls the task queue, it says so after some seconds.
   * @throws TactusError what `start` refuses, or the run failed with; the reason of the signal
   */
  async execute(
    source: ProcedureSource,
    input: JsonValue = {},
    { signal, onNoWorker, ...options }: ExecuteProcedureOptions = {},
  ): Promise<JsonValue> {
    const run = await this.start(source, input, options);
    return this.result(run, { ...defined({ signal, onNoWorker }) });
  }

  /**
   * Waits for the output of a run. Where no worker polls the task queue, it says so after some seconds.
   * @throws TactusError what the run failed with; run_not_found; the reason of the signal
   */
  result(
    run: TactusRun,
    options: Pick<ExecuteProcedureOptions, 'signal' | 'onNoWorker'> = {},
  ): Promise<JsonValue> {
    return awaitedResult(this.client, this.taskQueue, run, options);
  }

  /**
   * Starts another run that goes on with the log of one up to a checkpoint: what is recorded there isn't asked for again.
   * @throws TactusError run_not_found; usage where the run has no such checkpoint; non_determinism where the source doesn't
   *   fit what is recorded; run_conflict where the new id is taken; payload_too_large
   */
  async fork(runId: string, options: ForkOptions): Promise<TactusRun> {
    const { readFork } = await import('./runs/read-fork.js');
    return this.startFork(await readFork(this.attach(runId), options));
  }

  /** Starts a run that goes on with a log. @throws TactusError run_conflict where the id is taken, or somebody was faster */
  async startFork(carried: CarriedStart): Promise<TactusRun> {
    const { client, taskQueue } = this;
    const findsForks = (await this.knownAttributes()) === 'forks';
    await startCarried({ client, taskQueue, findsForks }, carried);
    return this.attach(carried.runId);
  }

  /**
   * Goes on with a run that has failed, under its id: what failed is tried again, and nothing that is recorded.
   * @throws TactusError as `readRetry`; run_conflict where somebody was faster
   */
  async retry(runId: string, options: RetryOptions = {}): Promise<TactusRun> {
    const { readRetry } = await import('./changes/retry.js');
    return this.startFork(await readRetry(this.attach(runId), options));
  }

  /**
   * Starts a run that goes on with what the Python Tactus has recorded (the text of a file of its `FileStorage`), or with what
   * `export` gives: what is recorded isn't done again, and who is waited for is asked here.
   * @throws TactusError file_failed where the text is no such record; usage where its source is missing; source_invalid,
   *   no_procedure, input_invalid; non_determinism where the procedure doesn't fit, or where the record doesn't hold what it
   *   takes; run_conflict where the id is taken; payload_too_large
   */
  async import(record: string, options: ImportOptions): Promise<TactusRun> {
    const limits = options.limits ?? this.limits;
    const { readImport } = await import('./runs/import/read-import.js');
    return this.startImport(
      await readImport(record, { ...options, ...(limits && { limits: { ...this.limits, ...limits } }) }),
    );
  }

  /** @throws TactusError run_conflict where the id is taken */
  async startImport({ start, ...imported }: Import): Promise<TactusRun> {
    const { searchAttributes } = await this.startsWith();
    const here = searchAttributes === false ? start : { ...start, searchAttributes };
    return this.startFork({ ...imported, start: here });
  }

  /**
   * A run as a record that the Python Tactus loads, and that `import` goes on with.
   * @throws TactusError run_not_found; usage where the run's content isn't shown; payload_too_large
   */
  async export(runId: string): Promise<ProcedureMetadata> {
    const { exportRun } = await import('./runs/export-run.js');
    return exportRun(this.attach(runId));
  }

  /**
   * A run with its histories, log, source, input and result, as the bytes of one file; `readArchive` reads them.
   * @param by who writes it, such as the version of this package
   * @throws TactusError run_not_found; usage where the run's content isn't shown; payload_too_large; file_failed where a
   *   payload store has lost a part
   */
  async archive(runId: string, by: string): Promise<Uint8Array> {
    const { archiveRun, packArchive } = await import('./runs/archive.js');
    return packArchive(await archiveRun(this.client, this.attach(runId), by));
  }

  private async startsWith(): Promise<StartsWith> {
    return { limits: this.limits, searchAttributes: attributesOfRuns(await this.knownAttributes()) };
  }

  /**
   * A page of runs, the newest first: from the index where this client has one, and without asking any run that it is sure of;
   * else from the server's list.
   * @throws TactusError usage where `after` is no `next`; config_invalid where the index has the runs of another namespace
   */
  list(filter: IndexedRunFilter): Promise<RunList> {
    return this.lists.runs(filter);
  }

  /**
   * Ids of runs in the order of their characters: from the index where this client has one, else from the server's list, of which all is
   * read for each page.
   * @throws TactusError config_invalid where the index has the runs of another namespace
   */
  ids(filter: RunIdFilter = {}): Promise<string[]> {
    return this.lists.ids(filter);
  }

  /**
   * How many runs there are, by how they stand: from the index where this client has one, else from the server's list, which may
   * lag a moment behind.
   */
  count(filter: RunCountFilter = {}): Promise<RunCounts> {
    return this.lists.count(filter);
  }

  /**
   * A page of the open requests of all runs, the oldest first, from the index. To decide on one, read it from its run (`pending`).
   * @throws TactusError usage where this client has no index, or `after` is no `next`; config_invalid where the index has the
   *   runs of another namespace
   */
  openRequests(filter: IndexedRequestFilter): Promise<RequestList> {
    return this.lists.requests(filter);
  }

  /** Compares runs of a procedure by their version or variant. @throws TactusError usage where the limit is none */
  async compare(name: string, options: CompareOptions): Promise<Comparison> {
    const { compareRuns } = await import('./scores/compare.js');
    return compareRuns(this, name, options);
  }

  /**
   * What a run that has ended answered last, without a worker: from the index where this client has one, and a worker has kept it there.
   * @param execution the Temporal execution that has ended
   * @returns null where it isn't kept: a worker knows it
   */
  async lastAnswers(runId: string, execution: string): Promise<LastAnswers | null> {
    const { index } = this.options;
    if (index === undefined) return null;
    const { payloadCodecs: codecs } = this.client.options.loadedDataConverter;
    return readLastAnswers(index, { runId, execution }, { codecs });
  }

  /** The run of this id, without asking whether there is one. */
  attach(runId: string): TactusRun {
    return new TactusRun(this.client.workflow.getHandle(runId), runId, this.streams, this.shownRequests);
  }

  /**
   * Events that nodes of a run's graphs gave for the ledger, the oldest first: from the storage of this client, where it has one, which has them
   * longer than the server keeps the run, and a moment later; else from the run's log.
   * @throws TactusError usage of a filter that can't be meant; run_not_found where the log is read
   */
  async getLedger(threadId: string, filter: LedgerFilter = {}): Promise<LedgerEventView[]> {
    const { ledgerOf } = await import('./graphs/graph-state.js');
    return ledgerOf(this.attach(threadId), this.options.storage, filter);
  }

  /** Decides a human request of whatever run: its id says of which. */
  decide(decision: Decision): Promise<Verdict> {
    return this.attach(runIdOf(decision.request)).decide(decision);
  }

  /**
   * Open human requests of a run, of the runs that it has started, and of those that it waits for, oldest first.
   * @throws TactusError where one of them can't be asked
   */
  pending(runId: string): Promise<HumanRequest[]> {
    return pendingBelow((id) => this.attach(id), runId);
  }
}
