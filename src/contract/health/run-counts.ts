import type { RunStatus } from '../runs/run-view.js';

/** What a run did since it was last counted. */
export interface RunCounts {
  procedure: string;
  /** It began. */
  began: boolean;
  /** How it has ended; null: it goes on. */
  ended: RunStatus | null;
  /** Checkpoints that have ended. */
  checkpoints: { type: string; outcome: 'ok' | 'failed'; count: number }[];
  /** Instructions of Lua that it has run. */
  instructions: number;
}
