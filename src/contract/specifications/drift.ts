/**
 * Chance and time as they would be in another run. A run that replays a log with them shows whether its procedure goes by
 * any that is not recorded: inside of checkpoints, turns and tools both stay as they were.
 */
export interface Drift {
  /** Seed of the random numbers outside of checkpoints. */
  seed: string;
  /** How far the clock is ahead outside of checkpoints. */
  aheadMs: number;
}
