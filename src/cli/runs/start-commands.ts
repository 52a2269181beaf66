import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import {
  act,
  collect,
  exitCodes,
  hasCode,
  lastArgument,
  ownCommand,
  TactusError,
  type Screen,
} from '../command.js';
import { accountName } from '../authority/signing-options.js';
import { followHere, provideFollower, type AnswerFlags } from './follow-run.js';
import {
  readProcedure,
  startOptionsOf,
  withStartOptions,
  type ReadProcedure,
  type StartFlags,
} from '../procedures/read-procedure.js';
import { withSession, type Session } from '../session.js';
import { startedText } from './run-text.js';
import { workerCommand } from '../connection.js';
import {
  assertSameStart,
  differenceOf,
  listRuns,
  startOfRun,
  type StartOptions,
  type TactusRun,
} from '../../client/index.js';
import type { Environment } from '../../contract/environment.js';
import { readTraceContext } from '../../contract/traces/trace-context.js';
import { defined } from '../../contract/json/json.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import { checkModels } from '../../worker/worker-environment.js';
import { assertRoom } from '../../worker/server/index.js';

interface RunFlags extends StartFlags, AnswerFlags {
  detach?: boolean;
}

/** `run FILE [TASK]`: starts a procedure and follows it. */
export function runCommand(): Command {
  return withStartOptions(new Command('run'))
    .description('start a procedure and follow it; you answer requests in the terminal')
    .option('--respond <json>', 'answer to the next human request; may be repeated', collect, [])
    .option('--as <who>', 'name of the person who answers (default: your account)')
    .option('--mock', 'do not call models: agents, tools and models answer as the Mocks of the file say')
    .option('--detach', "start it and don't follow; needs a worker that goes on")
    .action(
      act(async (context, flags: RunFlags, file: string, task?: string) => {
        const procedure = await readProcedure(file, task, flags, context.screen);
        return withSession(context, async (session) => {
          const isFollowed = flags.detach !== true;
          if (!isFollowed) await requireWorker(session, file);
          const run = await startRun(session, context.screen, procedure, flags, { isFollowed });
          if (isFollowed) return followHere(session, context.screen, run, flags);
          context.screen.answer(...(await startedText(run, procedure.source)));
          return exitCodes.done;
        });
      }),
    );
}

/** Until the server knows a worker that has just begun to work, in ms. */
const newWorkerMs = 3_000;

async function requireWorker(session: Session, file: string): Promise<void> {
  for (const end = Date.now() + newWorkerMs; ; await delay(250)) {
    if (await session.worker.hasLive()) return;
    if (Date.now() >= end) break;
  }
  throw new TactusError(
    'no_worker',
    `A detached run needs a worker that keeps running; nothing was started. Start one first: ${workerCommand(session, file)}`,
  );
}

/** `start FILE [TASK]`: starts a run for a worker that runs elsewhere, and gives its id. */
export function startCommand(): Command {
  return withStartOptions(new Command('start'))
    .description('start a procedure; needs a running worker')
    .option('--paused', 'start it paused: look at what it would do first, then use unpause')
    .action(
      act(async (context, flags: StartFlags, file: string, task?: string) => {
        const procedure = await readProcedure(file, task, flags, context.screen);
        return withSession(context, async (session) => {
          const run = await startRun(session, context.screen, procedure, flags, { isFollowed: false });
          if (!(await session.worker.hasLive()))
            context.screen.note(
              `No worker polls "${session.target.taskQueue}": the run waits for one. Start it: ${workerCommand(session, file)}`,
            );
          context.screen.answer(...(await startedText(run, procedure.source)));
          return exitCodes.done;
        });
      }),
    );
}

/**
 * Starts a run, or attaches to the one that has the id already.
 * @throws TactusError run_conflict where that one has another source, input or task; missing_key, missing_package, unknown_model
 */
export async function startRun(
  session: Session,
  screen: Screen,
  procedure: ReadProcedure,
  flags: StartFlags,
  { isFollowed }: { isFollowed: boolean },
): Promise<TactusRun> {
  const { source, input, task, models } = procedure;
  const { id, messageId } = flags;
  if (messageId !== undefined && id === undefined)
    throw new TactusError('usage', '--message-id needs --id: the thread that the message is for');
  const started = id === undefined ? null : await startOfRun(session.client, id);
  if (id !== undefined && started !== null) {
    const given = { source, input, task, messageId };
    if (!procedure.isThread) assertSameStart(id, started, given);
    if (differenceOf(started, given) === null) {
      screen.note(`The run ${id} exists already: it is followed, and nothing is started.`);
      return session.tactus.attach(id);
    }
    await workerForTurn(session, screen, { id, file: procedure.file, isFollowed });
  }
  if (session.embedded !== null) assertRoom(process.cwd());
  tellMissingAttributes(session, screen);
  // The worker of the embedded server has our environment; of another one we don't know its keys.
  if (session.embedded !== null && flags.mock !== true) tellDefaultModel(models, source, screen);
  if (id === undefined) await nameOpenRuns(session, screen, source);
  const options: StartOptions = {
    ...startOptionsOf(procedure, session),
    ...defined({ runId: id, messageId, priority: priorityOf(flags), trace: traceOf(process.env) }),
    ...(flags.paused === true ? { paused: { by: accountName() } } : {}),
    ...(flags.mock === true ? { mock: { all: true, agents: {}, results: {}, people: null } } : {}),
  };
  const start = (): Promise<TactusRun> => session.tactus.start(source, input, options);
  return started === null ? start() : session.ask(start);
}

/** What began this command and traces it says so by W3C's variables; undefined: nothing did. */
function traceOf({ TRACEPARENT: traceparent, TRACESTATE: tracestate }: Environment): StartOptions['trace'] {
  return readTraceContext({ traceparent, tracestate }) ?? undefined;
}

/** undefined: no flag says one. @throws TactusError usage of what is no number */
function priorityOf({ priorityKey, fairnessKey, fairnessWeight }: StartFlags): StartOptions['priority'] {
  const priority = defined({
    priorityKey: numberOf(priorityKey, '--priority-key'),
    fairnessKey,
    fairnessWeight: numberOf(fairnessWeight, '--fairness-weight'),
  });
  return Object.keys(priority).length === 0 ? undefined : priority;
}

function numberOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new TactusError('usage', `${flag} takes a number, not ${text}`);
}

/** A turn goes on from what the run of the turn before tells, so somebody is to answer for it. @throws TactusError no_worker */
async function workerForTurn(
  session: Session,
  screen: Screen,
  { id, file, isFollowed }: { id: string; file: string; isFollowed: boolean },
): Promise<void> {
  if (isFollowed) return provideFollower(session, screen, session.tactus.attach(id));
  if (await session.worker.hasLive()) return;
  throw new TactusError(
    'no_worker',
    `The next turn of ${id} needs a worker that is running; nothing was started. Start one first: ${workerCommand(session, file)}`,
  );
}

function tellMissingAttributes({ missingAttributes, target }: Session, screen: Screen): void {
  if (missingAttributes.length > 0)
    screen.note(
      `The namespace ${target.namespace} doesn't know ${missingAttributes.join(', ')}: the run can't be found by that. See: tactus-temporal doctor`,
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
    if (!hasCode(error, 'missing_key', 'missing_package') || !hasMocks) throw error;
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
