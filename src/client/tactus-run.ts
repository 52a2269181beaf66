import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { PauseAnswer } from '../contract/changes/pause-answer.js';
import type { PauseRequest } from '../contract/changes/pause.js';
import type { Decision, Verdict } from '../contract/people/decision.js';
import type { Steering } from '../contract/agents/steer-effect.js';
import { hasCode, TactusError } from '../contract/errors.js';
import type { SessionView } from '../contract/sessions/session-view.js';
import type { HumanRequest } from '../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../contract/json/json.js';
import { queryNames, signalNames, updateNames } from '../contract/names.js';
import type { RunStarted } from '../contract/runs/start-input.js';
import type { LastAnswers, LogEntryView, LogPage, RunView, ShownPage } from '../contract/runs/run-view.js';
import type { StoredEvent } from '../contract/streams/stream-event.js';
import type { StreamReader } from '../streams/run-streams.js';
import { pauseRun, unpauseRun } from './changes/pause-run.js';
import { waitUntilClosed } from './runs/wait-until-closed.js';
import { closedVerdict, decisionOutcome, pollUntilVerified } from './people/decision-outcome.js';
import { ShownRequests } from './people/shown-requests.js';
import { readToEnd } from '../log/pages.js';
import { queryRun, retryWhileBusy, whyUnanswered } from './runs/messages.js';
import {
  answeredRequest,
  entriesOfPass,
  logFrom,
  logOfPasses,
  shownFrom,
  type Bounded,
} from './runs/passes.js';
import { toRunFailure } from './runs/run-errors.js';
import { askToCancel, sendEvent, steerRun, terminateRun } from './runs/tell-run.js';

/** Requests from a number on; `next` is where to go on. Workers of 0.1.0 give all of them, and no number. */
interface PendingPage {
  pending: HumanRequest[];
  next?: number | null;
}

/** How the stream of a run is read. */
export interface StreamOptions {
  /** Offset of the last event that is known; left out: from the beginning, as far as it is kept. */
  after?: number;
  /** Ends it before the run does. */
  signal?: AbortSignal;
  /** Left out: those of the client. */
  streams?: StreamReader | null;
}

/** One run. What is read of it is answered by a worker. */
export class TactusRun {
  constructor(
    readonly handle: WorkflowHandle,
    readonly runId: string,
    private readonly streams: StreamReader | null = null,
    private readonly shownRequests = new ShownRequests(),
    /** Of one that has ended, and is known to: what is in them isn't asked. */
    private readonly last: LastAnswers | null = null,
  ) {}

  /** The same run, which has ended, by what it answered last. */
  after(last: LastAnswers): TactusRun {
    return new TactusRun(this.handle, this.runId, this.streams, this.shownRequests, last);
  }

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

  /**
   * What its agents say and do, as it comes, and what came before as far as it is kept; ends with the run. Whoever is cut off goes on after the offset that
   * they have seen last. Runs that it starts have streams of their own.
   * @throws TactusError usage where the client was given no streams
   */
  async *stream({ streams = this.streams, ...options }: StreamOptions = {}): AsyncGenerator<StoredEvent> {
    if (streams === null)
      throw new TactusError(
        'usage',
        'This TactusClient reads no streams. Pass a reader: new TactusClient(client, { streams })',
      );
    const over = new AbortController();
    try {
      yield* streams.read(this.runId, { ...options, until: waitUntilClosed(this.handle, over.signal) });
    } finally {
      over.abort();
    }
  }

  async status(): Promise<RunView> {
    const view = this.last?.status ?? (await this.ask<RunView>(queryNames.status));
    this.shownRequests.note(view.pending);
    return view;
  }

  async state(): Promise<JsonObject> {
    return this.last?.status.state ?? this.ask(queryNames.state);
  }

  /** Gives the session of the run: its plan, its slices and its snapshots. */
  session(): Promise<SessionView> {
    return this.ask(queryNames.session);
  }

  /** The run's own open requests, each whole. */
  async pending(): Promise<HumanRequest[]> {
    if (this.last?.status.pending_whole === true) return this.last.status.pending;
    const { items } = await readToEnd(
      0,
      (from) => this.ask<PendingPage>(queryNames.pending, from),
      ({ pending, next = null }) => ({ items: pending, next }),
    );
    this.shownRequests.note(items);
    return items;
  }

  /**
   * The whole execution log; of a run that began again with `Procedure.continue_as_new`, that of its pass.
   * @param all with all passes before, as far as the server keeps them: `replay_index` says how many checkpoints there were
   */
  async log({ all = false }: { all?: boolean } = {}): Promise<LogPage> {
    return all ? logOfPasses<TactusRun>(this) : this.logOfPass();
  }

  private async logOfPass(): Promise<LogPage> {
    if (this.last?.log != null) return this.last.log;
    const packed = await this.ask<Uint8Array>(queryNames.packedLog);
    if (packed.length > 0) return JSON.parse(gunzipSync(packed).toString()) as LogPage;
    const { first, items } = await entriesOfPass(this, 0);
    return { ...first, execution_log: items, next: null };
  }

  /** The run as one of its executions has it. */
  inExecution(execution: string): TactusRun {
    return new TactusRun(this.handle.client.getHandle(this.runId, execution), this.runId);
  }

  /** The checkpoints that have ended, packed as another execution is handed them; empty where they are too large. */
  packedCheckpoints(): Promise<Uint8Array> {
    return this.ask(queryNames.packedCheckpoints);
  }

  /** The same in pages, however large all of it is: those from number `from` on, as many as an answer holds. */
  checkpointsPage(from: number): Promise<Uint8Array> {
    return this.ask(queryNames.checkpoints, from);
  }

  /** @throws TactusError payload_too_large */
  async started(): Promise<RunStarted> {
    const packed = await this.ask<Uint8Array>(queryNames.started);
    if (packed.length === 0)
      throw new TactusError(
        'payload_too_large',
        `The start input of ${this.runId} is too large to be read from the run`,
      );
    return JSON.parse(gunzipSync(packed).toString()) as RunStarted;
  }

  /** Entries of the execution log from number `from` on, as many as an answer holds; none of the passes before. */
  logPage(from: number): Promise<LogPage> {
    return this.ask(queryNames.log, from);
  }

  /**
   * Entries of the execution log from number `from` on, also those of passes before that the server keeps, the first of the
   * answers that they came in, and the number to go on from.
   */
  logFrom(from: number, bounded?: Bounded): Promise<{ first: LogPage; items: LogEntryView[]; next: number }> {
    return logFrom<TactusRun>(this, from, bounded);
  }

  /** What the log has of a request that was answered; null: nothing. */
  answeredRequest(id: string, bounded?: Bounded): Promise<LogEntryView | null> {
    return answeredRequest<TactusRun>(this, id, bounded);
  }

  /** Lines printed and logged from number `from` on, as many as an answer holds; none of the passes before. */
  shown(from = 0): Promise<ShownPage> {
    return this.ask(queryNames.output, from);
  }

  /** All lines from number `from` on, also those of passes before that the server keeps; `next` is the number to go on from. */
  shownFrom(from: number, bounded?: Bounded): Promise<ShownPage> {
    return shownFrom<TactusRun>(this, from, bounded);
  }

  /**
   * Decides a human request, and gives the verdict at once; that of a signed decision when its signature has been looked at, or
   * `verifying` where that takes longer than a minute. A refused decision leaves no trace. Where the request was shown to this client,
   * and the run has yet to come to it again (after a reset, say), the decision is bound to what was shown, and kept until then.
   */
  async decide(given: Decision): Promise<Verdict> {
    const decision = given.token === undefined ? given : { id: randomUUID(), ...given };
    const verdict = await this.decideOnce(decision);
    const isPlain = given.digest === undefined && given.token === undefined && given.early !== true;
    const digest = this.shownRequests.digestOf(given.request);
    if (verdict.outcome !== 'unknown' || !isPlain || digest === null) return verdict;
    return this.decideOnce({ ...decision, digest });
  }

  private async decideOnce(decision: Decision): Promise<Verdict> {
    try {
      const verdict = await retryWhileBusy(() =>
        this.handle.executeUpdate<Verdict, [Decision]>(updateNames.decide, { args: [decision] }),
      );
      return verdict.outcome === 'verifying'
        ? await pollUntilVerified(verdict, () => this.ask(queryNames.verdict, decision.id))
        : verdict;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return this.closedVerdict(decision);
      return decisionOutcome(error, decision);
    }
  }

  private async closedVerdict(decision: Decision): Promise<Verdict> {
    const answered = await this.answeredRequest(decision.request).catch((error: unknown) => {
      if (hasCode(error, 'run_not_found')) return null;
      throw error;
    });
    return closedVerdict(this.runId, decision, answered);
  }

  /**
   * Sends an event, for which the procedure waits with `Event.wait`. It is kept until then.
   * @param id names it for its sender: sent again under the same, it is one event, unless the run has continued as new since
   * @throws TactusError run_not_found where there is none, or where it has ended; payload_too_large
   */
  async send(name: string, value: JsonValue, id?: string): Promise<void> {
    await sendEvent(this.handle, name, value, id);
  }

  /**
   * Says something to an agent while it is at work: its model is told before its next answer, or at once where this
   * breaks off (`interrupt`) the one that it is at. An agent that isn't at work is told in its next turn.
   * @throws TactusError run_not_found where there is none, or where it has ended; usage where nothing is said; payload_too_large
   */
  async steer(steering: Steering): Promise<void> {
    await steerRun(this.handle, steering);
  }

  /**
   * Pauses the run: what is under way ends, and nothing new begins until `unpause`. Decisions, events and words to agents are taken
   * and kept. Gives what it lets end; a run that is paused stays as it is.
   * @throws TactusError usage; run_not_found, also where it has ended; change_refused where it began on a version that can't be paused
   */
  async pause(request: PauseRequest = {}): Promise<PauseAnswer> {
    return pauseRun(this.handle, request);
  }

  /**
   * Lets a paused run go on.
   * @throws TactusError run_not_found, also where it has ended; change_refused
   */
  async unpause(): Promise<PauseAnswer> {
    return unpauseRun(this.handle);
  }

  /**
   * Asks the run to end. Its compensations and deferred functions have their turn first (`cancelling`): a second call ends it at once.
   * @param reason recorded in history
   * @throws TactusError run_not_found, also where it has ended
   */
  async cancel(reason?: string): Promise<void> {
    try {
      const { raw } = await this.handle.describe();
      if (raw.workflowExtendedInfo?.cancelRequested === true) await this.handle.signal(signalNames.cancelNow);
      else await askToCancel(this.handle, reason);
    } catch (error) {
      throw toRunFailure(error, this.runId);
    }
  }

  /**
   * Ends the run at once, without a word to it: nothing that it has under way is cleaned up. Runs that it started, and that
   * ask people, find out by themselves. Of a run that was terminated before there is nothing to be done.
   * @throws TactusError run_not_found, also where it has ended otherwise
   */
  async terminate(reason?: string): Promise<void> {
    await terminateRun(this.handle, reason);
  }

  private async ask<T>(query: string, ...args: unknown[]): Promise<T> {
    try {
      return await queryRun<T>(this.handle, query, ...args);
    } catch (error) {
      throw (await whyUnanswered(this.handle, error)) ?? toRunFailure(error, this.runId);
    }
  }
}
