import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { ChildClosed } from './child-report.js';

/** A child run of whose end the procedure hasn't been told. */
export interface Child {
  /** The server has confirmed that it has begun. */
  hasBegun: boolean;
  /** This execution has started it: the server tells of its end. */
  isOwn: boolean;
  /** Cancelled before it had begun. */
  isUnwanted: boolean;
  outcome: Outcome | null;
  /** Its first execution; null: it isn't known. */
  execution: string | null;
  /** What was reported before it is known which child it is. */
  reports: ChildClosed[];
}

export function newChild(known: Pick<Child, 'hasBegun' | 'isOwn' | 'outcome'>): Child {
  return { ...known, isUnwanted: false, execution: null, reports: [] };
}
