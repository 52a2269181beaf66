import type { Outcome } from './checkpoint.js';

/** How a run of somebody else stands: `outcome` is null as long as it goes on. */
export interface RunLook {
  id: string;
  outcome: Outcome | null;
}
