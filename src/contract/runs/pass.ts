import type { BudgetUse } from '../budgets/budget.js';
import type { GraphState } from '../graphs/super-step.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Marks } from './marks.js';
import type { SessionContent } from '../sessions/session-content.js';

/**
 * What a run goes on with that began again from the top: a pass lasts from one `Procedure.continue_as_new` to the next.
 * Positions and numbers go on, so that none is used twice.
 */
export interface Pass {
  /** 1 for the second pass. */
  number: number;
  /** When the pass before ended, in ms since 1970: its clock begins there. */
  at: number;
  /** Index of its first checkpoint at the top level. */
  position: number;
  /** How many checkpoints the passes before have recorded. */
  checkpoints: number;
  /** How many lines they have shown. */
  shown: number;
  state: JsonObject;
  /** Left out where nothing was kept in it. */
  session?: SessionContent;
  /** What a graph goes on with, in the next turn of its thread; left out where it begins. */
  thread?: GraphState;
  /** By whose they are. */
  budgets: Record<string, BudgetUse>;
  /** What it was found by then; left out before engine 10. */
  marks?: Marks;
  /** The execution that the pass before ended with, where its log is read; left out where it was of another run. */
  execution?: string;
}

/** As another run goes on with it: the passes before were not its own, so it counts none of their checkpoints and lines. */
export function passOfAnother({ execution: _, ...pass }: Pass): Pass {
  return { ...pass, checkpoints: 0, shown: 0 };
}

/** How a pass ended, and what the next one begins with. */
export interface PassEnd {
  /** Index of the call at the top level. */
  position: number;
  input: JsonValue;
  state: JsonObject;
}
