import { workflowInfo } from '@temporalio/workflow';
import type { Effect } from '../contract/effects.js';
import { jsonSize, type JsonValue } from '../contract/json.js';
import type { Limits } from '../contract/limits.js';
import { isLocal } from './effects/perform.js';

/** The server terminates an execution at 51,200 events, without a word; a failed run says what happened. */
const lastEvents = 48_000;

/** Most events that one effect takes, with the workflow task that its answer brings. */
const eventsOf = { model_call: 6, predict: 6, file: 6, human: 8, sleep: 5, procedure: 9 } as const;
/** A marker, and now and then a workflow task. */
const eventsOfLocal = 2;

/**
 * How much a run has put into the history of this execution. It is counted by what was performed: a replay resolves
 * local activities at an earlier workflow task than the first time, so the history's length is another one there,
 * and a run must continue as new at the same place.
 */
export class HistoryBudget {
  private events = 0;
  private bytes = 0;
  private suggested = false;

  constructor(private readonly limits: Limits) {}

  /** An effect has ended. */
  add(effect: Effect, outcome: JsonValue): void {
    const local = isLocal(effect);
    this.events += local ? eventsOfLocal : eventsOf[effect.kind];
    this.bytes += jsonSize(outcome) + (local ? 0 : jsonSize(effect as unknown as JsonValue));
    // Signals that we don't count make the server suggest it. What ended outside of this workflow task is an event
    // of it, so here a replay sees the same.
    if (!local) this.suggested ||= workflowInfo().continueAsNewSuggested;
  }

  /** A long computation has paused. */
  addPause(): void {
    this.events += eventsOfLocal;
  }

  get isUsedUp(): boolean {
    const { historyEvents, historyBytes } = this.limits;
    return this.suggested || this.events > historyEvents || this.bytes > historyBytes;
  }

  /** Nothing more must be done in this execution. */
  get isAtEnd(): boolean {
    return this.events > lastEvents;
  }
}
