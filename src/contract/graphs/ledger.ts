import type { Checkpoint } from '../checkpoints/checkpoint.js';
import { isObject, jsonAs } from '../json/json.js';
import type { GraphState, LedgerEvent, SuperStepResult } from './super-step.js';

/** An event of the ledger of a run, with the super-step that it came with. */
export type LedgerRow = LedgerEvent & {
  /** The same whenever the run tells of the event: by it an event is kept once. */
  id: string;
  step: number;
  checkpoint_id: string;
};

/** An event as it is kept: numbered from 1 on, in the order in which events were recorded. */
export type NumberedLedgerEvent = LedgerRow & { number: number };

/** An event as readers get it. */
export type LedgerEventView = LedgerEvent & { step: number; number: number };

/** The events that came with these checkpoints, in their order. */
export function ledgerOf(checkpoints: readonly Checkpoint[]): LedgerRow[] {
  return checkpoints.flatMap(({ type, position, at, outcome }) => {
    if (type !== 'super_step' || !outcome.ok || !isObject(outcome.value)) return [];
    const { step, checkpoint_id } = jsonAs<GraphState>(outcome.value['kept']);
    const { ledger } = jsonAs<SuperStepResult>(outcome.value['result']);
    // Who uses the id of a run again has the same positions.
    return ledger.map((event, i) => ({ id: `${position}/${i}@${at}`, step, checkpoint_id, ...event }));
  });
}

/** Which events of a ledger are wanted; all of them without. */
export interface LedgerFilter {
  topic?: string | undefined;
  /** The number of the last event that is known. */
  after?: number | undefined;
  /** So many at most. */
  limit?: number | undefined;
}
