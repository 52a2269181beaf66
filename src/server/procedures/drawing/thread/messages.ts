import type { ProcedureSource } from '../../../../contract/procedures/source.js';
import type { Validation } from '../../../../validation/index.js';
import type { Drawn } from '../shown-source.js';

/** What a thread is asked of a source. */
export interface ThreadRequest {
  kind: 'graph' | 'describe';
  source: ProcedureSource;
}

/** `drawn`: null where the source can't be drawn. */
export type ThreadAnswer =
  { kind: 'graph'; drawn: Drawn | null } | { kind: 'describe'; described: Validation['describe'] };
