import { basename, dirname } from 'node:path';
import { channelSettings } from '../../configuration/channels.js';
import { loadConfiguration, withModelCalls } from '../../configuration/load-configuration.js';
import type { LoadedProcedure, LoadProcedureInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import { memoOf } from '../../contract/procedures/source.js';
import { collectSource } from '../../sources/collect-source.js';
import { findProcedure } from '../../sources/find-procedure.js';
import type { ActivityDeps } from '../activity-deps.js';
import { assertResultFits, atEdge } from '../retries/failures.js';

/**
 * Reads a procedure, with all that it requires and runs, from the first of the worker's folders that has it.
 * @throws ApplicationFailure of type source_not_found or source_invalid
 */
export async function loadProcedure(
  deps: ActivityDeps,
  { procedure }: LoadProcedureInput,
): Promise<LoadedProcedure> {
  return atEdge(
    { code: 'source_not_found', subject: `Procedure ${procedure}`, secrets: () => [] },
    async () => {
      const entry = await findProcedure(deps.procedureFolders, procedure);
      if (entry === null)
        throw new TactusError(
          'source_not_found',
          `No folder of this worker has a procedure ${JSON.stringify(procedure)}`,
          { procedure },
        );
      const source = await collectSource(dirname(entry), basename(entry));
      const { workingFolder = deps.filesRoot, env, limits } = deps;
      const { settings: configured } = await loadConfiguration(entry, { workingFolder, env });
      const isSigned = Object.keys(deps.authorityKeys ?? {}).length > 0;
      const settings = {
        ...withModelCalls(configured),
        ...channelSettings(deps.channels),
        ...(isSigned ? { signedDecisions: true } : {}),
      };
      const loaded: LoadedProcedure = {
        ...source,
        settings,
        ...(limits === undefined ? {} : { limits }),
        ...((await deps.hasSearchAttributes?.()) === true ? { searchAttributes: true } : {}),
        memo: memoOf(source, undefined),
      };
      return assertResultFits(loaded, `The source of ${procedure}`);
    },
  );
}
