import { ApplicationFailure, isCancellation, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { localActivities, procedureLoader, remoteBreather } from './activities.js';
import { failedOutcome, toError } from './outcomes.js';
import { drained, type Sequence } from '../sequence.js';
import { tenantOf } from '../../contract/changes/hold.js';
import { pauseOf, type StartPause } from '../../contract/changes/pause.js';
import type { LoadedProcedure } from '../../contract/activities.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { busyType } from '../../contract/names.js';
import { conversationChain, isShort } from '../../contract/agents/conversation.js';
import { defined, jsonSize } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';

/** An Update comes while the run can't take it: whoever sent it sends it again. @param advice what to do */
export function busyFailure(advice: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`the run is busy for a moment: ${advice}`, busyType);
}

/** What a workflow task has where nobody says anything else. */
const usualTaskMs = 10_000;

/** A workflow task is given up after 10 s; so many slices take 2 s, and on a busy machine some more. */
const slicesOfTask = 8;

/**
 * What the worker does for a run at once: local activities, one at a time, and only while nothing else of the run is
 * under way (`OpenEffects.isAlone`). The SDK tells of a local activity's end when it likes: where a query is answered
 * meanwhile, or the workflow task takes too long, the first execution hears of it in a later workflow task than the one
 * that records it, together with events of that task; a replay hears of it before them, or of several workflow tasks at
 * once. So nothing may arrive meanwhile that an order could matter for. A signal may: its turn comes afterwards.
 *
 * Owns: whether a local activity is under way, how long the row of them lasts, and whether one is not recorded yet.
 * Asks: `Sequence` how many events wait, and the server for a barrier.
 * Invariants:
 *  1. After a barrier, the events that waited then have their turn before another local activity of an effect begins.
 *  2. `needsBarrier` holds from a local activity to the next barrier or the next answer of the server, on engines that have it.
 *  3. A barrier ends the row of local activities, and so does an event.
 */
export class LocalWork {
  /** The worker is at a local activity. */
  isUnderWay = false;
  /** Events that were there at the last barrier: they have their turn before other local activities. */
  private due = 0;
  private slices = 0;
  /** When the first of a row of local activities began, in ms since 1970 by the worker's clock. */
  private rowSince: number | null = null;
  /**
   * An effect was performed since the server last heard of this run for certain. If the worker dies now, that effect is
   * performed again: what it reads must not have been changed meanwhile by an effect behind it.
   */
  private isUnrecorded = false;

  constructor(
    private readonly sequence: Sequence,
    /** Whether a barrier stands before changes. */
    private readonly recordsFirst: boolean,
    /** A run that does much has more time for its tasks, but keeps nobody waiting for longer. */
    private readonly isBounded: boolean,
  ) {}

  /** Local activities wait until so many events have had their turn: a long row of them must not keep all else out. */
  get isBehind(): boolean {
    return this.due > 0;
  }

  eventTaken(): void {
    if (this.due > 0) this.due--;
    this.rowSince = null;
  }

  /** A barrier must come before an effect that changes something outside. */
  get needsBarrier(): boolean {
    return this.recordsFirst && this.isUnrecorded;
  }

  performed(): void {
    this.isUnrecorded = true;
  }

  /**
   * The server answered what the run began after its last local activity, and so has the marker of that one.
   * A signal is no such answer: a replay may hear of it earlier.
   */
  recorded(): void {
    this.isUnrecorded = false;
  }

  async perform<T>(work: () => Promise<T>): Promise<T> {
    this.isUnderWay = true;
    try {
      return await work();
    } finally {
      this.isUnderWay = false;
    }
  }

  /** Between two slices of a computation, alone or not. Gives whether it was a barrier. */
  async afterSlice(isAlone: boolean): Promise<boolean> {
    const isLong = ++this.slices % slicesOfTask === 0 || !isAlone;
    if (isLong) await this.barrier('a long computation goes on');
    else await this.perform(() => localActivities.breathe());
    return isLong;
  }

  /**
   * Whether a row of local activities has lasted for a quarter of the workflow task's timeout, by the worker's clock.
   * `since`: when the last of them was asked for; null: nobody knows, for it was tried more than once.
   */
  isLong(since: number | null, at: number): boolean {
    if (since === null) return true;
    this.rowSince ??= since;
    const { taskTimeoutMs } = workflowInfo();
    return at - this.rowSince > (this.isBounded ? Math.min(taskTimeoutMs, usualTaskMs) : taskTimeoutMs) / 4;
  }

  /**
   * Ends the workflow task: by a remote activity that is awaited alone, there and back in some 20 ms; the server's
   * timers take a second.
   */
  async barrier(summary: string): Promise<void> {
    // The commands of all that was done before go out first.
    await drained();
    await remoteBreather(summary).breathe();
    // What came with it is there as well.
    await drained();
    this.rowSince = null;
    this.isUnrecorded = false;
    this.due = this.sequence.length;
  }
}

/** A start that has its source. */
export type SourcedStart = StartInput & { source: ProcedureSource };

/** With the pause that it begins with, where it is held. */
export type FoundStart = SourcedStart & { held?: StartPause };

/**
 * The source that travels with the run, or, once, what is published under the name, or what the worker's folder has.
 * @param holds it may begin paused
 */
export async function findSource(input: StartInput, holds = false): Promise<FoundStart> {
  const { source, procedure = '', settings } = input;
  if (source !== undefined) return { ...input, source };
  const {
    settings: configured,
    limits,
    searchAttributes,
    memo,
    published,
    hold,
    ...loaded
  } = await load(procedure, holds && input.carry === undefined);
  // Runs whose history has none were loaded by a worker that gave none.
  if (memo !== undefined) upsertMemo(memo);
  const isSigned = configured?.signedDecisions === true || settings?.signedDecisions === true;
  // Whoever starts a run by its name can't take off it what the worker demands.
  const both: RunSettings = { ...configured, ...settings, ...(isSigned ? { signedDecisions: true } : {}) };
  const limited = limits === undefined ? {} : { limits: { ...limits, ...input.limits } };
  const attributes = searchAttributes === undefined ? {} : { searchAttributes };
  const held = hold === undefined ? {} : { held: pauseOf(hold) };
  // What a version is of, its registry alone says.
  const { published: _, ...start } = input;
  return {
    ...start,
    ...attributes,
    ...defined({ published }),
    ...held,
    source: loaded,
    settings: both,
    ...limited,
  };
}

/** @throws TactusError source_not_found, source_invalid … as the worker has it; a cancellation */
async function load(procedure: string, holds: boolean): Promise<LoadedProcedure> {
  try {
    const tenant = tenantOf(workflowInfo().priority);
    const terms = holds ? { holds, ...defined({ tenant }) } : {};
    return await procedureLoader.loadProcedure({ procedure, ...terms });
  } catch (error) {
    if (isCancellation(error)) throw error;
    throw toError(failedOutcome(error, 'source_not_found'));
  }
}

/** A model call as it is sent: the beginning of its conversation by its digest, where workers have been sent that before. */
interface SentCall {
  call: ModelCall;
  prefix: { digest: string; count: number } | null;
  /** Digest of the whole conversation; null where it is short. */
  whole: string | null;
  bytes: number;
}

/**
 * What has been sent of conversations in one execution of a run. Each message goes into history once: a model is asked with what
 * is new, and with the digest of what isn't, which workers keep, or ask the run for.
 */
export class Conversations {
  private readonly known = new Set<string>();
  /** Worked out for the limit of a message to the server, and again for the call itself. */
  private readonly split = new WeakMap<ModelCall, SentCall>();

  /** How it would be sent now. */
  look(call: ModelCall): SentCall {
    const before = this.split.get(call);
    if (before !== undefined) return before;
    const sent = this.splitCall(call);
    this.split.set(call, sent);
    return sent;
  }

  /** From now on its messages are known. */
  sent(call: ModelCall): void {
    const { whole } = this.look(call);
    if (whole !== null) this.known.add(whole);
  }

  private splitCall(call: ModelCall): SentCall {
    const bytes = jsonSize(call);
    if (isShort(call.messages)) return { call, prefix: null, whole: null, bytes };
    const chain = conversationChain(call.messages);
    const whole = chain.at(-1) ?? null;
    const last = chain.findLastIndex((digest) => this.known.has(digest));
    const digest = chain[last];
    if (digest === undefined) return { call, prefix: null, whole, bytes };
    const count = last + 1;
    const rest = { ...call, messages: call.messages.slice(count) };
    return { call: rest, prefix: { digest, count }, whole, bytes: jsonSize(rest) };
  }
}
