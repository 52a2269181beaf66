import type { TactusRun } from '../client/tactus-client.js';
import { procedureName, type ProcedureSource } from '../contract/source.js';

/** What `start` and `run --detach` answer: the document, and its text. */
export function startedText({ runId }: TactusRun, source: ProcedureSource): [object, () => string] {
  return [{ run_id: runId, procedure: procedureName(source), status: 'running' }, () => runId];
}
