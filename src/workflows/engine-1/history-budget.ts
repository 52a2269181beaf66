import type { EffectRequest, Outcome } from '../../contract/checkpoints/checkpoint.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { Limits } from '../../contract/runs/limits.js';
import { isLocal } from './effects/perform-locally.js';

/** The server terminates an execution at 51,200 events, without a word; a failed run says what happened. */
const lastEvents = 48_000;
/** It does the same at 50 MiB. */
const lastBytes = 40_000_000;

/** Most events that one effect takes, with the workflow task that its answer brings. */
const eventsOf = {
  model_call: 6,
  predict: 6,
  http: 6,
  file: 6,
  human: 8,
  sleep: 5,
  procedure: 9,
  spawn: 9,
  children: 9,
  cancel_child: 5,
  defer: 5,
} as const;
/** A marker. */
const eventsOfLocal = 1;
const eventsOfPause = 6;

/**
 * How much a run has put into the history of this execution. It is counted by what was performed: a replay resolves
 * local activities at an earlier workflow task than the first time, so the history's length is another one there,
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

  /** The procedure is given an answer; `suggested`: when it came, the server suggested to continue as new. */
  add({ effect, bytes }: EffectRequest, outcome: Outcome, suggested: boolean): void {
    const local = isLocal(effect);
    this.events += local ? eventsOfLocal : eventsOf[effect.kind as keyof typeof eventsOf];
    this.bytes += jsonSize(outcome as unknown as JsonValue) + (local ? 0 : bytes);
    // Signals that we don't count make the server suggest it. A local activity ends at no event: a replay may see
    // what the server suggests at another moment.
    if (!local && !this.isExtended) this.suggested ||= suggested;
  }

  /** A long computation has paused. */
  addPause(): void {
    this.events += eventsOfPause;
  }

  get isUsedUp(): boolean {
    return this.suggested || this.events > this.lastEvent || this.bytes > this.lastByte;
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
