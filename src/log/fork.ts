import { isWithin, type Checkpoint, type Position } from '../contract/checkpoints/checkpoint.js';
import type { JsonValue } from '../contract/json/json.js';

/**
 * The beginning of a log, for a run that goes another way from a checkpoint on. Whatever is asked for builds on what had
 * ended before, so a log that is cut anywhere is the log of a run. Gives null where the log has no such checkpoint.
 * @param set what the checkpoint has come to instead; left out: it, and all that is part of it, is asked for anew
 */
export function fork(log: readonly Checkpoint[], at: Position, set?: JsonValue): Checkpoint[] | null {
  const end = log.findIndex(({ position }) => position === at);
  const recorded = log[end];
  if (recorded === undefined) return null;
  // Its body runs again, and asks for what is part of it: that stays.
  if (set !== undefined) return [...log.slice(0, end), { ...recorded, outcome: { ok: true, value: set } }];
  return log.slice(
    0,
    log.findIndex(({ position }) => isWithin(position, at)),
  );
}
