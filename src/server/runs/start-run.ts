import { readDuration } from '../../contract/time/duration.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import { procedureName } from '../../contract/procedures/source.js';
import type { Identity } from '../access/identity.js';
import type { Procedures, ServedNamespace } from '../served-namespace.js';

/** What a run is started with over HTTP. */
export interface StartRequest {
  procedure: string;
  input?: JsonObject | undefined;
  task?: string | undefined;
  run_id?: string | undefined;
  timeout?: string | undefined;
}

/**
 * Starts a procedure of the server's folders. The same id, source and input again give the run that is there.
 * @throws TactusError source_not_found, source_invalid, no_procedure, input_invalid, run_conflict, payload_too_large, usage
 */
export async function startRun(
  { tactus }: ServedNamespace,
  procedures: Procedures,
  { name: startedBy }: Pick<Identity, 'name'>,
  { procedure, input = {}, task, run_id: runId, timeout }: StartRequest,
): Promise<{ run_id: string; procedure: string }> {
  const longestMs = timeout === undefined ? null : readDuration(timeout, 'timeout', 'usage');
  if (longestMs === 0) throw new TactusError('usage', 'timeout must be longer than 0');
  const { source, options } = await procedures.find(procedure);
  const run = await tactus.start(source, input, {
    ...options,
    ...(startedBy === null ? {} : { startedBy }),
    ...(task === undefined ? {} : { task }),
    ...(runId === undefined ? {} : { runId }),
    ...(longestMs === null ? {} : { timeout: `${longestMs}ms` }),
  });
  return { run_id: run.runId, procedure: procedureName(source) };
}
