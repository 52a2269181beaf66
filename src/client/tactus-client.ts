import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import type { Decision, Verdict } from '../contract/decision.js';
import { eventSignal } from '../contract/effects/event.js';
import { TactusError } from '../contract/errors.js';
import type { HumanAnswer, HumanRequest } from '../contract/human-request.js';
import { canonicalJson, jsonSize, type JsonObject, type JsonValue } from '../contract/json.js';
import { defaultLimits, type Limits } from '../contract/limits.js';
import type { MockPlan } from '../contract/mock-plan.js';
import { defaultTaskQueue, queryNames, updateNames, workflowType } from '../contract/names.js';
import type { LogEntryView, LogPage, RunView } from '../contract/run-view.js';
import type { Shown } from '../contract/printed.js';
import { procedureName, type ProcedureSource } from '../contract/source.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { StartInput } from '../contract/start-input.js';
import { whenFree } from './when-free.js';
import { decisionOutcome } from './decision-outcome.js';
import { readToEnd } from '../log/pages.js';
import { grpcErrorOf } from './grpc-error.js';
import { replayError } from './replay-error.js';
import { saidByPlugin } from './said-by-plugin.js';
import { stuckError } from './stuck-error.js';
import { stuckOf } from './stuck.js';
import { toRunFailure } from './to-run-failure.js';
import { assertSameStart, startOfRun } from './start-of-run.js';

export interface TactusClientOptions {
  /** Where runs are started; left out: where the client's `TactusPlugin` says, else `tactus`. */
  taskQueue?: string;
  /** Limits of runs that are started without; left out: those of the client's `TactusPlugin`. */
  limits?: Partial<Limits>;
  /** The namespace has our search attributes: runs set them. */
  searchAttributes?: boolean;
}

/** Requests from a number on; `next` is where to go on. Workers of 0.1.0 give all of them, and no number. */
interface PendingPage {
  pending: HumanRequest[];
  next?: number | null;
}

export interface StartOptions {
  /** Id of the run; a run of that id that is open is attached to instead of started again. Left out: a new one. */
  runId?: string;
  /** The task of the procedure's file to run; left out: what the file runs by itself. */
  task?: string;
  limits?: Partial<Limits>;
  /** Where the procedure's file lies below the worker's directory of files, for `tactus.io`; left out: in it. */
  folder?: string;
  /** Time that the whole run may take, such as `30d`; left out: no limit. */
  timeout?: string;
  /** What configuration says of the run and of those that it starts; left out: nothing. */
  settings?: RunSettings;
  /** What the run answers itself instead of asking the outside, for tests; left out: nothing. */
  mock?: MockPlan;
}

/** Starts, answers and reads runs of procedures, over a Temporal client of yours. */
export class TactusClient {
  private readonly taskQueue: string;
  private readonly limits: Partial<Limits> | undefined;

  constructor(
    readonly client: Client,
    private readonly options: TactusClientOptions = {},
  ) {
    const plugin = saidByPlugin(client);
    this.taskQueue = options.taskQueue ?? plugin.taskQueue ?? defaultTaskQueue;
    this.limits = options.limits ?? plugin.limits;
  }

  /**
   * Starts a procedure. What can be refused is refused here, with nothing started.
   * @throws TactusError source_invalid, no_procedure, input_invalid; run_conflict where the id has another source, input or task
   */
  async start(
    source: ProcedureSource,
    input: JsonValue = {},
    options: StartOptions = {},
  ): Promise<TactusRun> {
    // It runs Lua: whoever only reads and answers runs has no need of that.
    const { checkStart } = await import('./check-start.js');
    checkStart(source, input, options);
    const runId = options.runId ?? `${procedureName(source)}-${randomUUID().slice(0, 8)}`;
    const start: StartInput = {
      source,
      input,
      ...(options.task === undefined ? {} : { task: options.task }),
      ...(options.folder === undefined ? {} : { folder: options.folder }),
      ...((options.limits ?? this.limits) && { limits: { ...this.limits, ...options.limits } }),
      ...(options.settings === undefined ? {} : { settings: options.settings }),
      ...(options.mock === undefined ? {} : { mock: options.mock }),
      ...(this.options.searchAttributes === true ? { searchAttributes: true } : {}),
    };
    try {
      await this.client.workflow.start(workflowType, {
        args: [start],
        workflowId: runId,
        taskQueue: this.taskQueue,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        ...(options.timeout === undefined ? {} : { workflowExecutionTimeout: options.timeout }),
        staticSummary: procedureName(source),
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const started = await startOfRun(this.client, runId);
      if (started !== null) assertSameStart(runId, started, { source, input, task: options.task });
    }
    return this.attach(runId);
  }

  /** Starts a procedure and waits for its output. */
  async execute(
    source: ProcedureSource,
    input: JsonValue = {},
    options: StartOptions = {},
  ): Promise<JsonValue> {
    return (await this.start(source, input, options)).result();
  }

  /** The run of this id, without asking whether there is one. */
  attach(runId: string): TactusRun {
    return new TactusRun(this.client.workflow.getHandle(runId), runId);
  }

  /** Decides a human request of whatever run: its id says of which. */
  decide(decision: Decision): Promise<Verdict> {
    return this.attach(runIdOf(decision.request)).decide(decision);
  }

  /**
   * Open human requests of a run, of the runs that it has started, and of those that it waits for, oldest first.
   * @throws TactusError where one of them can't be asked
   */
  async pending(runId: string): Promise<HumanRequest[]> {
    const seen = new Set<string>();
    const ask = async (id: string): Promise<HumanRequest[]> => {
      // Runs may wait for each other.
      if (seen.has(id)) return [];
      seen.add(id);
      const view = await this.attach(id).status().catch(isThere(id));
      if (view === null) return [];
      const runs = [...view.children, ...view.waits.flatMap((wait) => wait.runs ?? [])];
      const own = view.pending_whole === false ? this.attach(id).pending() : view.pending;
      const below = await Promise.all(runs.map(ask));
      return [...(await own), ...below.flat()];
    };
    // A child that is just starting has nothing to ask yet.
    const isThere = (id: string) => (error: unknown) => {
      if (id !== runId && error instanceof TactusError && error.code === 'run_not_found') return null;
      throw error;
    };
    return (await ask(runId)).sort((a, b) => a.created_at.localeCompare(b.created_at));
  }
}

/** `<run>` of a request's id `<run>/<position>`. */
export function runIdOf(requestId: string): string {
  const slash = requestId.lastIndexOf('/');
  return slash < 0 ? requestId : requestId.slice(0, slash);
}

/** One run. What is read of it is answered by a worker. */
export class TactusRun {
  constructor(
    readonly handle: WorkflowHandle,
    readonly runId: string,
  ) {}

  /**
   * The procedure's output, when it has ended.
   * @throws TactusError what it failed with; run_not_found
   */
  async result(): Promise<JsonValue> {
    try {
      return (await this.handle.result()) as JsonValue;
    } catch (error) {
      throw toRunFailure(error, this.runId);
    }
  }

  status(): Promise<RunView> {
    return this.ask(queryNames.status);
  }

  state(): Promise<JsonObject> {
    return this.ask(queryNames.state);
  }

  /** The run's own open requests, each whole. */
  async pending(): Promise<HumanRequest[]> {
    const { items } = await readToEnd(
      0,
      (from) => this.ask<PendingPage>(queryNames.pending, from),
      ({ pending, next = null }) => ({ items: pending, next }),
    );
    return items;
  }

  /** The whole execution log. */
  async log(): Promise<LogPage> {
    const packed = await this.ask<Uint8Array>(queryNames.packedLog);
    if (packed.length > 0) return JSON.parse(gunzipSync(packed).toString()) as LogPage;
    const { first, items } = await this.logFrom(0);
    return { ...first, execution_log: items, next: null };
  }

  /** Entries of the execution log from number `from` on, and the first of the answers that they came in. */
  logFrom(
    from: number,
    bounded: <T>(question: () => Promise<T>) => Promise<T> = (question) => question(),
  ): Promise<{ first: LogPage; items: LogEntryView[] }> {
    return readToEnd(
      from,
      (next) => bounded(() => this.ask<LogPage>(queryNames.log, next)),
      ({ execution_log: items, next }) => ({ items, next }),
    );
  }

  /** Lines printed and logged from number `from` on, and the number to go on from. */
  shown(from = 0): Promise<{ shown: Shown[]; next: number }> {
    return this.ask(queryNames.output, from);
  }

  /** Decides a human request, and gives the verdict at once. A refused decision leaves no trace. */
  async decide(decision: Decision): Promise<Verdict> {
    try {
      return await whenFree(() =>
        this.handle.executeUpdate<Verdict, [Decision]>(updateNames.decide, { args: [decision] }),
      );
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return this.closedVerdict(decision);
      return decisionOutcome(error, decision);
    }
  }

  /** What a decision comes to when the run has closed, or when there is none. */
  private async closedVerdict({ request: id, value }: Decision): Promise<Verdict> {
    const log = await this.log().catch((error: unknown) => {
      if (error instanceof TactusError && error.code === 'run_not_found') return { execution_log: [] };
      throw error;
    });
    const entry = log.execution_log.find(
      ({ position, type }) => type.startsWith('hitl_') && `${this.runId}/${position}` === id,
    );
    if (entry === undefined)
      return { id, outcome: 'unknown', message: `There is no open run ${this.runId} that asks this` };
    const answer = entry.result as Partial<HumanAnswer> | null;
    return answer?.value !== undefined && canonicalJson(answer.value) === canonicalJson(value)
      ? { id, outcome: 'duplicate', message: 'it was answered so before, and the run has ended' }
      : { id, outcome: 'late', message: 'it was answered before, and the run has ended' };
  }

  /**
   * Sends an event, for which the procedure waits with `Event.wait`. It is kept until then.
   * @throws TactusError run_not_found where there is none, or where it has ended; payload_too_large
   */
  async send(name: string, value: JsonValue): Promise<void> {
    const bytes = jsonSize(value);
    if (bytes > defaultLimits.payloadBytes)
      throw new TactusError(
        'payload_too_large',
        `an event of ${bytes} bytes is larger than the ${defaultLimits.payloadBytes} that can be sent`,
      );
    try {
      await this.handle.signal(eventSignal, name, value);
    } catch (error) {
      throw toRunFailure(error, this.runId);
    }
  }

  async cancel(): Promise<void> {
    try {
      await this.handle.cancel();
    } catch (error) {
      throw toRunFailure(error, this.runId);
    }
  }

  /** Why a run doesn't answer although a worker is there, in words of ours; null where it is something else. */
  private async unanswered(error: unknown): Promise<TactusError | null> {
    if (grpcErrorOf(error) === null) return replayError(error, this.runId);
    // No other word of the server's tells it for sure: at first, questions to a stuck run are just not answered.
    const stuck = await this.handle.describe().then(
      (description) => stuckOf(this.handle, description),
      () => null,
    );
    return stuck === null ? null : stuckError(this.runId, stuck);
  }

  private async ask<T>(query: string, ...args: unknown[]): Promise<T> {
    try {
      return await this.handle.query<T, unknown[]>(query, ...args);
    } catch (error) {
      throw (await this.unanswered(error)) ?? toRunFailure(error, this.runId);
    }
  }
}
