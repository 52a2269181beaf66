import type { StartInput } from './start-input.js';

/**
 * What a run began with: enough to run its procedure again by its log. `start` has the source, also where the run was
 * started by a name; times are ms since 1970.
 */
export interface RunStarted {
  start: Omit<StartInput, 'carry'>;
  engine: number;
  startedAt: number;
  seed: string;
}
