import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
// eslint-disable-next-line import-x/no-restricted-paths -- the client finds the files of a procedure in the same way
import { collectSource } from '../client/collect-source.js';
// eslint-disable-next-line import-x/no-restricted-paths -- and what configuration says of it
import { loadConfiguration } from '../client/configuration/load-configuration.js';
import { TactusError } from '../contract/errors.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { ProcedureSource } from '../contract/source.js';
import type { ActivityDeps } from './activity-deps.js';
import { assertResultFits } from './assert-result-fits.js';
import { atEdge } from './failures.js';

export interface LoadProcedureInput {
  /** The name of its file below a folder of procedures, without `.tac`: `review-triage`, `support/triage`. */
  procedure: string;
}

/** A procedure, and what the configuration where it lies says of it; builds before 0.2 recorded none. */
export interface LoadedProcedure extends ProcedureSource {
  settings?: RunSettings;
}

/** Names come from whoever can start a workflow: nothing that could lead out of the folders. */
const namePattern = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

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
      const name = procedure.replace(/\.tac$/, '');
      if (!namePattern.test(name))
        throw new TactusError('source_not_found', `${JSON.stringify(procedure)} is no name of a procedure`);
      for (const folder of deps.procedureFolders) {
        const entry = join(folder, `${name}.tac`);
        if (!(await isFile(entry))) continue;
        const source = await collectSource(dirname(entry), basename(entry));
        const { workingFolder = deps.filesRoot, env } = deps;
        const { settings } = await loadConfiguration(entry, { workingFolder, env });
        const loaded = Object.keys(settings).length === 0 ? source : { ...source, settings };
        return assertResultFits(loaded, `The source of ${name}`);
      }
      throw new TactusError(
        'source_not_found',
        `No folder of this worker has a procedure ${JSON.stringify(procedure)}`,
        { procedure },
      );
    },
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
