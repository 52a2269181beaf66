import type { Outcome } from '../checkpoints/checkpoint.js';

/** How a run of somebody else stands: `outcome` is null as long as it goes on, or where nobody asked for it. */
export interface RunLook {
  id: string;
  outcome: Outcome | null;
  /** Of a brief look: it has closed, or there is no such run. */
  isClosed?: boolean;
  /** Of a brief look: it has closed without a word: terminated, timed out, or forgotten by the server. */
  isGone?: boolean;
  /** Of a brief look: the run that has started it, as the server says. */
  parent?: string;
  /** Of a brief look: the first of its executions. */
  firstExecution?: string;
}
