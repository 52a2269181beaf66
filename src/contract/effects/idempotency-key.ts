import type { AnewPart } from '../changes/run-change.js';
import { isWithin, type Position } from '../checkpoints/checkpoint.js';

/** What tells the calls of a run from those of all others. */
export interface RunKeys {
  runId: string;
  firstExecutionId: string;
  /** Parts that are done anew, by keys of their own; left out: none. */
  anew?: readonly AnewPart[];
}

/** The same at every attempt of an effect, and for no other one. */
export function idempotencyKey({ runId, firstExecutionId, anew = [] }: RunKeys, position: Position): string {
  const part = anew.find((each) => isWithin(position, each.position));
  // The execution before may have been the first.
  const since = part === undefined ? firstExecutionId : `${part.execution}-anew`;
  return `${runId}/${since}/${position}`;
}
