import type { TactusRun } from '../../client/tactus-run.js';
import { describeRun, endOf } from '../../client/runs/view-run.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';

/** What `start` and `run --detach` answer: the document, and its text. */
export async function startedText(run: TactusRun, source: ProcedureSource): Promise<[object, () => string]> {
  const status = endOf((await describeRun(run)).status.name) ?? 'running';
  return [{ run_id: run.runId, procedure: procedureName(source), status }, () => run.runId];
}
