import type { Wait } from '../runs/run-view.js';
import type { PauseView } from './pause.js';

/** What the Updates `pause` and `unpause` answer. */
export interface PauseAnswer {
  /** `ended`: the run was just ending, and can't be paused any more. */
  status: 'paused' | 'running' | 'ended';
  /** Whether this changed anything: false where it was paused, or not paused, before. */
  changed: boolean;
  /** The pause that holds; where the run goes on, the one that is over. */
  paused: PauseView | null;
  /** What is under way, the oldest first: what a paused run lets end. At most 50 of them. */
  waiting_for: Wait[];
  /** How many there are. */
  waiting: number;
}
