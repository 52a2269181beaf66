import { isCancellation, upsertMemo } from '@temporalio/workflow';
import type { LoadedProcedure } from '../../contract/activities.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import { localActivities } from '../effects/activities.js';
import { failedOutcome, toError } from '../effects/outcome.js';

/** A start that has its source. */
export type SourcedStart = StartInput & { source: ProcedureSource };

/** The source that travels with the run, or, once, what the worker's folder has under the name. */
export async function findSource(input: StartInput): Promise<SourcedStart> {
  const { source, procedure = '', settings } = input;
  if (source !== undefined) return { ...input, source };
  const { settings: configured, limits, searchAttributes, memo, ...loaded } = await load(procedure);
  // Runs whose history has none were loaded by a worker that gave none.
  if (memo !== undefined) upsertMemo(memo);
  const isSigned = configured?.signedDecisions === true || settings?.signedDecisions === true;
  // Whoever starts a run by its name can't take off it what the worker demands.
  const both: RunSettings = { ...configured, ...settings, ...(isSigned ? { signedDecisions: true } : {}) };
  const limited = limits === undefined ? {} : { limits: { ...limits, ...input.limits } };
  const attributes = searchAttributes === undefined ? {} : { searchAttributes };
  return { ...input, ...attributes, source: loaded, settings: both, ...limited };
}

/** @throws TactusError source_not_found, source_invalid … as the worker has it; a cancellation */
async function load(procedure: string): Promise<LoadedProcedure> {
  try {
    return await localActivities.loadProcedure({ procedure });
  } catch (error) {
    if (isCancellation(error)) throw error;
    throw toError(failedOutcome(error, 'source_not_found'));
  }
}
