import { procedureName, sourceHash, type ProcedureSource } from '../procedures/source.js';

/** A run's memo: what lists of workflows show without asking a worker. */
export type Memo = Record<string, string>;

/** @param startedBy who started it, where that is known */
export function memoOf(source: ProcedureSource, task: string | undefined, startedBy?: string): Memo {
  return {
    procedure: procedureName(source),
    source: `sha256:${sourceHash(source)}`,
    ...(task === undefined ? {} : { task }),
    ...(startedBy === undefined ? {} : { started_by: startedBy }),
  };
}
