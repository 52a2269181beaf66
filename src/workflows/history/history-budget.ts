import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { jsonSize } from '../../contract/json/json.js';
import type { Limits } from '../../contract/runs/limits.js';
import type { Event } from '../sequence.js';

/** The server terminates an execution at 51,200 events, without a word; a failed run says what happened. */
const lastEvents = 48_000;
/** It does the same at 50 MiB. */
const lastBytes = 40_000_000;

/** Most events that one of the outside takes: what began it, the event itself, and the workflow task that it brings. */
const eventsOfEvent = 6;
/** A marker. */
const eventsOfLocal = 1;
const eventsOfBarrier = 6;
/** So much a run may hear before it continues as new although nothing came of it. */
const eventsInVain = 200;

/**
 * How much a run has put into the history of this execution. It is counted by what had its turn: a replay may hear of
 * local activities in an earlier workflow task than the first time, so the history's length is another one there,
 * and a run must continue as new at the same place.
 *
 * Owns: the counts of events and bytes, and the limits at which they are used up.
 * Asks: nobody. Each event tells whether the server suggested to continue as new.
 * Invariants:
 *  1. Only what had its turn counts, never the length of the history.
 *  2. Counts never fall. An extension moves the limits on.
 *  3. After an extension the server's suggestion is ignored: the run can't follow it.
 */
export class HistoryBudget {
  private events = 0;
  private bytes = 0;
  private suggested = false;
  private isExtended = false;
  /** Where it is used up; an extension moves both on. */
  private lastEvent: number;
  private lastByte: number;

  constructor(private readonly limits: Limits) {
    this.lastEvent = limits.historyEvents;
    this.lastByte = limits.historyBytes;
  }

  addEvent({ suggested }: Event): void {
    this.events += eventsOfEvent;
    if (!this.isExtended) this.suggested ||= suggested;
  }

  addLocal(): void {
    this.events += eventsOfLocal;
  }

  addBarrier(): void {
    this.events += eventsOfBarrier;
  }

  /** @param bytes that asking put into history */
  addAnswer(bytes: number, outcome: Outcome): void {
    this.bytes += bytes + jsonSize(outcome);
  }

  get isUsedUp(): boolean {
    return this.suggested || this.events > this.lastEvent || this.bytes > this.lastByte;
  }

  /** Something has been heard for which alone another execution is worth while. */
  get isWorn(): boolean {
    return this.events > eventsInVain;
  }

  /** Whoever waited for a good moment to continue as new must wait no longer. */
  get isPressing(): boolean {
    const { historyEvents, historyBytes } = this.limits;
    return this.events > this.lastEvent + historyEvents || this.bytes > this.lastByte + historyBytes;
  }

  /** The run can't continue as new for now: it goes on here, and looks again when as much was added once more. */
  extend(): void {
    this.isExtended = true;
    this.suggested = false;
    this.lastEvent = this.events + this.limits.historyEvents;
    this.lastByte = this.bytes + this.limits.historyBytes;
  }

  /** Nothing more must be done in this execution. */
  get isAtEnd(): boolean {
    return this.events > lastEvents || this.bytes > lastBytes;
  }
}

/** So many instructions are replayed in a second on a machine that does a fifth of what most do. */
const instructionsOfSecond = 5_000_000;
/** What the replay of one local activity takes, beside the Lua that it leads to. */
const instructionsOfLocal = 20_000;
/** What the server allows. */
const longestTaskMs = 120_000;
/** What is done beyond the budget before nothing is begun any more that would keep another execution from taking over. */
const pressingFactor = 2;

/**
 * How much Lua an execution may run. A worker that takes a run over, after a crash, a deploy or because its cache was full,
 * replays the execution inside of one workflow task. Where that takes longer than the task may, the server gives the task up,
 * and the next worker begins anew: the run would be stuck for ever. So the run continues as new in time, with more time for each task.
 *
 * The next execution replays the log, which is as much Lua again: more time is all that helps. It has none of the local activities.
 */
export class ReplayBudget {
  private extensions = 1;
  private locals = 0;

  /**
   * @param taskMs time for a workflow task of this execution
   * @param countsLocals before engine 10, Lua alone counted
   */
  constructor(
    private readonly taskMs: number,
    private readonly countsLocals: boolean,
  ) {}

  addLocal(): void {
    if (this.countsLocals) this.locals += instructionsOfLocal;
  }

  /** Where each task has all the time that there is, nothing is won by another execution. */
  isUsedUp(instructions: number): boolean {
    return this.taskMs < longestTaskMs && instructions + this.locals > this.most;
  }

  /** Whoever waited for a good moment to continue as new must wait no longer. */
  isPressing(instructions: number): boolean {
    const { taskMs, locals, most } = this;
    return taskMs < longestTaskMs && instructions + locals > most * pressingFactor;
  }

  /** The run can't continue as new for now, and looks again when it has done as much once more. */
  extend(): void {
    this.extensions++;
  }

  /** Time for a workflow task of the next execution, which replays so much: twice of what that takes. null: as it is. */
  nextTaskMs(instructions: number): number | null {
    const wanted = Math.ceil((2 * instructions) / instructionsOfSecond) * 1_000;
    const next = Math.min(longestTaskMs, wanted);
    return next > this.taskMs ? next : null;
  }

  private get most(): number {
    return ((this.taskMs * instructionsOfSecond) / 1_000) * this.extensions;
  }
}

/** A history is at its end, and no other execution can take the log over. */
export function logTooLarge(checkpoints: number): TactusError {
  return new TactusError(
    'payload_too_large',
    `the log of ${checkpoints} checkpoints is too large to go on with in a new execution, and the ` +
      'worker has no payload store to keep it in',
  );
}
