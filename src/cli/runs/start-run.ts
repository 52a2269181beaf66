import {
  assertSameStart,
  listRuns,
  startOfRun,
  type StartOptions,
  type TactusRun,
} from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import { checkModels } from '../../worker/worker-environment.js';
import { startOptionsOf, type ReadProcedure } from '../procedures/read-procedure.js';
import type { Screen } from '../terminal/screen.js';
import { assertRoom } from '../../worker/server/index.js';
import type { Session } from '../session.js';
import type { StartFlags } from './start-options.js';
import { ownCommand } from '../terminal/own-command.js';
import { lastArgument } from '../../contract/text/shell-word.js';

/**
 * Starts a run, or attaches to the one that has the id already.
 * @throws TactusError run_conflict where that one has another source, input or task; missing_key, missing_package, unknown_model
 */
export async function startRun(
  session: Session,
  screen: Screen,
  procedure: ReadProcedure,
  flags: StartFlags,
): Promise<TactusRun> {
  const { source, input, task, models } = procedure;
  const { id } = flags;
  const started = id === undefined ? null : await startOfRun(session.client, id);
  if (id !== undefined && started !== null) {
    assertSameStart(id, started, { source, input, task });
    screen.note(`The run ${id} is there already: it is followed, nothing is started.`);
    return session.tactus.attach(id);
  }
  if (session.embedded !== null) assertRoom(process.cwd());
  tellMissingAttributes(session, screen);
  // The worker of the embedded server has our environment; of another one we don't know its keys.
  if (session.embedded !== null && flags.mock !== true) tellDefaultModel(models, source, screen);
  if (id === undefined) await nameOpenRuns(session, screen, source);
  const options: StartOptions = {
    ...startOptionsOf(procedure, session),
    ...(id === undefined ? {} : { runId: id }),
    ...(flags.mock === true ? { mock: { all: true, agents: {}, results: {}, people: null } } : {}),
  };
  return session.tactus.start(source, input, options);
}

function tellMissingAttributes({ missingAttributes, target }: Session, screen: Screen): void {
  if (missingAttributes.length > 0)
    screen.note(
      `The namespace ${target.namespace} doesn't know ${missingAttributes.join(' and ')}: the run can't be found by them. See: tactus-temporal doctor`,
    );
}

function tellDefaultModel(
  models: readonly (string | null)[],
  { files }: ProcedureSource,
  screen: Screen,
): void {
  const choices = withHint(files, () => checkModels(models, process.env));
  const byDefault = choices.find(
    ({ provider }, index) => models[index] === null && provider.name === 'local',
  );
  if (byDefault !== undefined)
    screen.note(
      `No key of a model provider is set: agents that name no model use the small local one (${byDefault.model}). Set OPENAI_API_KEY or ANTHROPIC_API_KEY for a large one.`,
    );
}

/** In the reference, agents that have Mocks need no key. */
function withHint<T>(files: ProcedureSource['files'], check: () => T): T {
  try {
    return check();
  } catch (error) {
    const hasMocks = Object.values(files).some((text) => /^\s*[Mm]ocks\b/m.test(text));
    if (
      !(error instanceof TactusError) ||
      !['missing_key', 'missing_package'].includes(error.code) ||
      !hasMocks
    )
      throw error;
    throw new TactusError(
      error.code,
      `${error.message}, or run it with --mock: then its Mocks answer`,
      error.details,
    );
  }
}

async function nameOpenRuns(session: Session, screen: Screen, source: ProcedureSource): Promise<void> {
  const procedure = procedureName(source);
  // Only a hint: where the server can't list runs by their procedure, there is none.
  const { runs } = await listRuns(session.client, { procedure, isOpen: true, limit: 5 }).catch(() => ({
    runs: [],
  }));
  for (const { run_id, status } of runs)
    screen.note(
      screen.paint.dim(
        `Another run of ${procedure} is ${status.replaceAll('_', ' ')}: ${ownCommand(`resume ${lastArgument(run_id)}`)}`,
      ),
    );
}
