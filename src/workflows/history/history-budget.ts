import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
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
    this.bytes += bytes + jsonSize(outcome as unknown as JsonValue);
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
