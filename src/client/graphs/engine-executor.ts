import { randomUUID } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import {
  checkGraph,
  type AnyGraph,
  type EngineGraph,
  type EngineGraphSpec,
} from '../../contract/graphs/graph-definition.js';
import type { LedgerEvent } from '../../contract/graphs/super-step.js';
import { contextField } from '../../contract/graphs/worker-graph.js';
import {
  defined,
  getOwn,
  isObject,
  jsonAs,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';
import { awaitedResult } from '../runs/awaited-result.js';
import { isUnanswered } from '../runs/run-errors.js';
import { startOfRun, type StartOptions } from '../runs/start-input.js';
import { PollInterval } from '../runs/wait-until-closed.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import { graphSource } from './graph-source.js';
import type { RunCheckpointer } from './run-checkpointer.js';
import { joinedWrites, toStateSnapshot, type StateSnapshot } from './state-snapshot.js';
import { goOnWithThread } from './thread-again.js';
import { resumeComment, ThreadReader, type ThreadLook } from './thread-reader.js';

/** Where a copy of the ledger is kept. */
export interface LedgerWriter {
  appendLedgerEvent(sessionId: string, event: LedgerEvent): Promise<void>;
}

/** How a thread is run. */
export interface EngineExecutorConfig<S = Record<string, unknown>> {
  /** Id of the run that is the thread. */
  threadId: string;
  /** Left out where the executor has a client. */
  checkpointer?: Pick<RunCheckpointer, 'client'>;
  /** Is told each event once its super-step is recorded; `getLedger` reads all of them at any time. */
  ledger?: LedgerWriter;
  /** The node that the turn begins with; left out: that of the graph. */
  entrypoint?: string;
  /** Is told of each super-step that ends, or is interrupted, while the call waits. */
  onStepComplete?: (checkpoint: StateSnapshot<S>, writes: Partial<S>) => void | Promise<void>;
  /**
   * Id of the message that begins the turn: the thread takes each in once, also where it comes again later. Left out: the same input
   * again is no turn.
   */
  messageId?: string;
  /** Names this resume: under the same key, it is one however often it is called. */
  idempotencyKey?: string;
  /** Who resumes, where the wait names approvers. */
  by?: string;
  /** Ends the waiting, with the signal's reason. The thread goes on. */
  signal?: AbortSignal;
  /** What else the run is started with. */
  start?: Omit<StartOptions, 'runId' | 'task' | 'mock' | 'messageId' | 'followsClosed'>;
}

/**
 * Runs threads of a graph: each is a run of Temporal, whose id is the id of the thread, and the nodes are functions of a worker that
 * was given the graph.
 */
export class EngineExecutor<S extends object, C = unknown> {
  private readonly graph: AnyGraph & { name: string };

  /**
   * @param client left out: that of the `checkpointer` that calls name
   * @throws TypeError where the graph is none
   */
  constructor(graph: EngineGraph<S, C>, client?: TactusClient);
  constructor(graph: EngineGraphSpec<S, C>, client?: TactusClient);
  constructor(
    graph: AnyGraph,
    private readonly client?: TactusClient,
  ) {
    this.graph = checkGraph(graph);
  }

  /**
   * Begins a turn, and gives the thread as it is when the turn has ended, or all that is left of it waits. Where nothing else is given
   * than before, or nothing, the turn is followed that is there. With nothing, one that has failed goes on: what failed is done anew.
   * @throws TactusError what a node failed with; run_conflict where another turn is under way
   */
  async invoke(input: Partial<S>, context: C, config: EngineExecutorConfig<S>): Promise<StateSnapshot<S>> {
    const client = this.clientOf(config);
    const { threadId, entrypoint, messageId } = config;
    const source = graphSource(this.graphFor(context, entrypoint));
    const exists = (await startOfRun(client.client, threadId)) !== null;
    const known = exists ? stepOf(await new ThreadReader(client.attach(threadId)).look()) : -1;
    const isNothing = Object.keys(input).length === 0 && entrypoint === undefined && messageId === undefined;
    if (exists && isNothing) {
      const run = client.attach(threadId);
      await goOnWithThread(client, run, config.start?.timeout);
      return this.follow(client, run, config, known);
    }
    const sent = { ...jsonAs<JsonObject>(sentJson(input)), ...this.contextOf(context) };
    const options = { ...config.start, runId: threadId, ...defined({ messageId }) };
    return this.follow(client, await client.start(source, sent, options), config, known);
  }

  /**
   * Gives all nodes that wait what they wait for, and then the thread as `invoke` does. The context is that of the turn.
   * @throws TactusError where the thread waits for nothing and has ended; forbidden; what a node failed with
   */
  async resume(payload: unknown, _context: C, config: EngineExecutorConfig<S>): Promise<StateSnapshot<S>> {
    const client = this.clientOf(config);
    const { threadId, idempotencyKey: key } = config;
    const refused = (why: string): TactusError =>
      new TactusError('usage', `Cannot resume thread ${threadId}: ${why}`);
    if ((await startOfRun(client.client, threadId)) === null) throw refused('No checkpoint found.');
    const run = client.attach(threadId);
    const reader = new ThreadReader(run);
    for await (const { look, hasEnded } of this.looks(client, run, reader, config)) {
      const before = key === undefined ? null : reader.resumedAt(key);
      if (hasEnded && before === null) throw refused('Execution is already complete.');
      // What was asked since then, a resume of this key has never seen.
      const asked = look.open.filter((request) => before === null || request.created_at < before);
      if (asked.length === 0 && before === null) continue;
      for (const { id } of asked) await this.answer(run, id, payload, config);
      return this.follow(client, run, config, stepOf(look));
    }
    throw refused('Execution is already complete.');
  }

  /** @throws TactusError forbidden, usage */
  private async answer(
    run: TactusRun,
    request: string,
    payload: unknown,
    { idempotencyKey: key, by }: EngineExecutorConfig<S>,
  ): Promise<void> {
    const verdict = await run.decide({
      id: key ?? randomUUID(),
      request,
      value: sentJson(payload),
      ...defined({ by, comment: key === undefined ? undefined : resumeComment(key) }),
    });
    if (verdict.outcome === 'accepted' || verdict.outcome === 'duplicate') return;
    throw new TactusError(
      verdict.outcome === 'not_allowed' ? 'forbidden' : 'usage',
      `Cannot resume thread ${run.runId}: ${verdict.message}`,
    );
  }

  /** Waits until the turn has ended, or all that is left of it waits. @param since the last super-step that is no news */
  private async follow(
    client: TactusClient,
    run: TactusRun,
    config: EngineExecutorConfig<S>,
    since = -1,
  ): Promise<StateSnapshot<S>> {
    let told = since;
    for await (const { look, hasEnded } of this.looks(client, run, new ThreadReader(run), config)) {
      for (const snapshot of look.snapshots) {
        const { step, source } = snapshot.metadata;
        if (step <= told || source === 'interrupted') continue;
        told = step;
        if (source === 'loop') await this.tell(toStateSnapshot<S>(snapshot), look, config);
      }
      const last = look.snapshots.at(-1);
      if (last === undefined || !(hasEnded || look.isInterrupted)) continue;
      const snapshot = toStateSnapshot<S>(last);
      if (!hasEnded) await config.onStepComplete?.(snapshot, joinedWrites<S>(snapshot));
      return snapshot;
    }
    throw new TactusError('internal', `The run ${run.runId} has ended, and no graph has run in it`);
  }

  private async tell(
    snapshot: StateSnapshot<S>,
    { ledger }: ThreadLook,
    { threadId, ledger: writer, onStepComplete }: EngineExecutorConfig<S>,
  ): Promise<void> {
    for (const { topic, key, data, step } of ledger)
      if (step === snapshot.metadata.step) await writer?.appendLedgerEvent(threadId, { topic, key, data });
    await onStepComplete?.(snapshot, joinedWrites<S>(snapshot));
  }

  /**
   * Looks at a thread whenever there may be something new, until it has ended; the last look is one at the end.
   * @throws TactusError what the thread failed with
   */
  private async *looks(
    client: TactusClient,
    run: TactusRun,
    reader: ThreadReader,
    { signal = new AbortController().signal }: EngineExecutorConfig<S>,
  ): AsyncGenerator<{ look: ThreadLook; hasEnded: boolean }> {
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
    };
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const result = awaitedResult(client.client, client.taskQueue, run, { signal: either });
    result.then(end, end);
    const interval = new PollInterval(result, either);
    try {
      for (;;) {
        signal.throwIfAborted();
        const isLast = hasEnded;
        const look = await reader.look().catch((error: unknown) => {
          // Nobody is there to answer: who waits for the result is told of that.
          if (isUnanswered(error)) return null;
          throw error;
        });
        if (isLast) await result;
        if (look !== null) yield { look, hasEnded: isLast };
        if (isLast && look !== null) return;
        await interval.next(look?.isNew ?? false);
      }
    } finally {
      over.abort();
    }
  }

  private clientOf({ checkpointer }: EngineExecutorConfig<S>): TactusClient {
    const client = this.client ?? checkpointer?.client;
    if (client !== undefined) return client;
    throw new TactusError(
      'usage',
      'An EngineExecutor needs a TactusClient: new EngineExecutor(graph, client), or checkpointer: new RunCheckpointer(client)',
    );
  }

  /** @throws TactusError usage */
  private graphFor(context: C, entrypoint = this.graph.entrypoint): AnyGraph & { name: string } {
    if (entrypoint !== undefined && !Object.hasOwn(this.graph.nodes, entrypoint))
      throw new TactusError('usage', `Graph Execution Error: Node ${entrypoint} not found.`);
    const config = getOwn(this.contextOf(context)[contextField] ?? {}, 'config');
    const steps = isObject(config) ? config['maxRecursionSteps'] : undefined;
    return checkGraph({
      ...this.graph,
      ...defined({ entrypoint }),
      ...(typeof steps === 'number' ? { maxSteps: steps } : {}),
    });
  }

  private contextOf(context: C): { [contextField]?: JsonObject } {
    const sent = sentJson(context);
    return !isObject(sent) || Object.keys(sent).length === 0 ? {} : { [contextField]: sent };
  }
}

/** What arrives of a value that is sent. */
function sentJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}

/** The last super-step that has ended. */
function stepOf({ snapshots }: ThreadLook): number {
  return snapshots.findLast(({ metadata }) => metadata.source !== 'interrupted')?.metadata.step ?? -1;
}

/** Runs threads of a graph, in the words of the design: the thread comes first, and the context is one for all. */
export class KernelExecutor<S extends object, C = unknown> {
  private readonly executor: EngineExecutor<S, C>;

  constructor(
    graph: EngineGraph<S, C>,
    client: TactusClient,
    private readonly options: Omit<EngineExecutorConfig<S>, 'threadId' | 'checkpointer'> & {
      context?: C;
    } = {},
  ) {
    this.executor = new EngineExecutor(graph, client);
  }

  /** Begins a turn of the thread, as `EngineExecutor.invoke`. @param messageId of the message that begins it */
  invoke(threadId: string, input: Partial<S>, messageId?: string): Promise<StateSnapshot<S>> {
    const { context, ...config } = this.options;
    return this.executor.invoke(input, context as C, { ...config, threadId, ...defined({ messageId }) });
  }

  /** Resumes the thread, as `EngineExecutor.resume`. @param key names this resume: under the same one, it is one */
  resume(threadId: string, payload: unknown, key?: string): Promise<StateSnapshot<S>> {
    const { context, ...config } = this.options;
    return this.executor.resume(payload, context as C, {
      ...config,
      threadId,
      ...defined({ idempotencyKey: key }),
    });
  }
}
