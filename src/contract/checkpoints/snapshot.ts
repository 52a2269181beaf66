import type { BudgetUse } from '../budgets/budget.js';
import { NewerVersionError } from '../engine.js';
import type { JsonValue } from '../json/json.js';

/** Of the form below. */
export const snapshotVersion = 1;

/**
 * All that a procedure has come to, beside the Lua values that its functions hold: a log that begins at one needs nothing
 * of what was recorded before it in the same frame. It stands beside the checkpoint of the frame that it was taken after.
 */
export interface Snapshot {
  version: number;
  /** Position of the frame that it stands for; of a loop, that of its first round. */
  frame: string;
  /** How many checkpoints of this pass had ended, and how many lines it had shown. */
  checkpoints: number;
  shown: number;
  /** The state, in the form of `ExactValue`. This, and what is below, is left out where it is as it was when the frame began. */
  state?: JsonValue;
  meter: MeterUse;
  /** The generators of random numbers, and the lines of the source that were warned of. */
  chance?: JsonValue;
  warned?: JsonValue;
  /** Ids of Lua's objects that are used. */
  ids: number;
  /** Of budgets that bound the run, by whose they are; and of those around the frame, the widest first, where they aren't among them. */
  budgets: { lasting: Record<string, Partial<BudgetUse>>; around: (Partial<BudgetUse> | null)[] };
  /** What else there is, by who keeps it. */
  rooms: Record<string, JsonValue>;
}

/** What a run has used, in instructions and bytes. */
export interface MeterUse {
  used: number;
  usedAtEffect: number;
  kept: number;
  heap: number;
}

/** @throws NewerVersionError */
export function readSnapshot(given: Snapshot): Snapshot {
  if (given.version > snapshotVersion)
    throw new NewerVersionError('A snapshot in the log', given.version, snapshotVersion);
  return given;
}
