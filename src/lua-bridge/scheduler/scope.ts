import type { EffectGroup } from '../../contract/effects/effect-request.js';
import type { BranchKept } from './branch-kept.js';
import type { BudgetScope } from './budget-scope.js';
import type { Fields } from '../values/schema.js';

/** What belongs to one call of a procedure; frames below inherit it. */
export interface Scope {
  /** Registry references of the tables behind the globals `input` and `state`. */
  input: number;
  state: StateStore;
  /** Name of the innermost `step`, for names such as `research.writer`. */
  step: string | null;
  /** The innermost step, turn or call: its effects are shown together. */
  group: EffectGroup | null;
  /** How many procedures call each other here. */
  depth: number;
  /** Inside of something whose result is recorded: `checkpoint(fn)`, an agent's turn, a tool's call. */
  isRecorded: boolean;
  /** What may be used here, the widest first. */
  budgets: readonly BudgetScope[];
  /** Models are asked in batches, where their providers take them. */
  isBatched: boolean;
  /** What rooms keep for this branch; the run's where branches aren't apart. */
  kept: BranchKept;
}

/** The table behind `state`, with the fields that are declared for it. */
export interface StateStore {
  table: number;
  fields: Fields;
}
