import type { RunError } from '../errors.js';
import type { AskedAgain, ChangedSettings, Divergence, RequestFate } from './proof.js';

/**
 * What becomes of a run that is made to go another way, before anything is started. `plan` of `fork --json` and of all commands that
 * change a run.
 */
export interface ChangePlan {
  /** How many checkpoints are kept: what is recorded there isn't asked for again. */
  kept: number;
  /** null: the source fits. */
  diverges: Divergence | null;
  /** What the source ends with before it asks for anything new; null: nothing. */
  fails: RunError | null;
  /** Kept checkpoints that the source asks for in another way than they were answered. */
  changed: ChangedSettings[];
  /**
   * What is asked for then, as far as the answers that the run had before tell. What a child run asks for that goes on with the run stands at
   * positions such as `2/0.1`: `0.1` of the child run that was started at `2`.
   */
  again: AskedAgain[];
  /** Of the open requests of the run. */
  requests: { id: string; becomes: RequestFate }[];
  /** Of the runs that the run has started. */
  children: { run_id: string; becomes: ChildFate }[];
  /** What was paid for what is kept, and for what is asked again of models; null where a price isn't known. */
  cost_usd: { kept: number | null; estimated: number | null };
}

/**
 * `kept`: its result, or the wait for it, goes along. `adopted`: it goes on with the run, from its own log where it had ended. `left`: nobody
 * waits for it any more, and it goes on.
 */
export type ChildFate = 'kept' | 'adopted' | 'started_anew' | 'ended' | 'left';
