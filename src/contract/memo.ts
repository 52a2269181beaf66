import { procedureName, sourceHash, type ProcedureSource } from './source.js';

/** A run's memo: what lists of workflows show without asking a worker. */
export type Memo = Record<string, string>;

export function memoOf(source: ProcedureSource, task: string | undefined): Memo {
  return {
    procedure: procedureName(source),
    source: `sha256:${sourceHash(source)}`,
    ...(task === undefined ? {} : { task }),
  };
}
