import { Context } from '@temporalio/activity';
import { basename, dirname } from 'node:path';
import { channelSettings } from '../../configuration/channels.js';
import { loadConfiguration, withModelCalls } from '../../configuration/load-configuration.js';
import type { LoadedProcedure, LoadProcedureInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import { procedureNameOf } from '../../contract/procedures/published.js';
import { defined } from '../../contract/json/json.js';
import {
  memoOf,
  nameOfStart,
  type FoundVersion,
  type ProcedureSource,
} from '../../contract/procedures/source.js';
import { collectSource } from '../../sources/collect-source.js';
import { findProcedure } from '../../sources/find-procedure.js';
import type { ActivityDeps } from '../activity-deps.js';
import { assertResultFits, atEdge } from '../retries/failures.js';
import type { ServerAccess } from '../runs/look-at-runs.js';

/** A folder that can't be read now is tried so often. */
const mostAttempts = 5;

/**
 * Gives a procedure, with all that it requires and runs: the version that is published under its name for this run, or else the first of the
 * worker's folders that has it.
 * @throws ApplicationFailure of type source_not_found or source_invalid; server_unreachable, to be tried again
 */
export async function loadProcedure(
  deps: ActivityDeps,
  server: Pick<ServerAccess, 'findPublished' | 'findHold'>,
  { procedure, holds = false, tenant }: LoadProcedureInput,
): Promise<LoadedProcedure> {
  const subject = `Procedure ${procedure}`;
  const secrets = (): string[] => [];
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const found = await atEdge({ code: 'server_unreachable', subject, secrets }, () =>
    published(server, procedure, workflowId),
  );
  const tries = { attempts: mostAttempts, answers: mostAttempts, isSaid: true, patienceMs: 0 };
  return atEdge({ code: 'source_not_found', subject, secrets, tries }, async () => {
    const { source, entry } = found === null ? await fromFolder(deps, procedure) : { ...found, entry: null };
    const { workingFolder = deps.filesRoot, env, limits } = deps;
    const { settings: configured } = await loadConfiguration(entry, { workingFolder, env });
    const isSigned = Object.keys(deps.authorityKeys ?? {}).length > 0;
    const settings = {
      ...withModelCalls(configured),
      ...channelSettings(deps.channels),
      ...(isSigned ? { signedDecisions: true } : {}),
    };
    const name = nameOfStart({ source, ...defined({ published: found?.as }) });
    const { taskQueue } = Context.current().info;
    const subjects = {
      procedure: [name],
      tenant: [tenant],
      queue: [taskQueue],
    };
    const hold = holds ? await server.findHold(subjects, []) : null;
    const known = (await deps.hasSearchAttributes?.()) ?? false;
    const loaded: LoadedProcedure = {
      ...source,
      ...(found === null ? {} : { published: found.as }),
      settings,
      ...(limits === undefined ? {} : { limits }),
      ...(known === false ? {} : { searchAttributes: known }),
      memo: memoOf(source, { published: found?.as }),
      ...(hold === null ? {} : { hold }),
    };
    return assertResultFits(loaded, `The source of ${procedure}`);
  });
}

/** No file has this name, and nothing can be published under it: what looks in the folders says so. */
async function published(
  { findPublished }: Pick<ServerAccess, 'findPublished'>,
  procedure: string,
  runId: string,
): Promise<FoundVersion | null> {
  const name = procedureNameOf(procedure);
  return name === null ? null : findPublished(name, runId);
}

async function fromFolder(
  { procedureFolders }: ActivityDeps,
  procedure: string,
): Promise<{ source: ProcedureSource; entry: string }> {
  const entry = await findProcedure(procedureFolders, procedure);
  if (entry !== null) return { source: await collectSource(dirname(entry), basename(entry)), entry };
  throw new TactusError(
    'source_not_found',
    `Nothing is published as ${JSON.stringify(procedure)}, and no folder of this worker has a procedure of that name`,
    { procedure },
  );
}
