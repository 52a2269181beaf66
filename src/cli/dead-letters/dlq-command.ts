import { Command, Option } from 'commander';
import { setTimeout as wait } from 'node:timers/promises';
import {
  dropDeadLetter,
  findDeadLetter,
  listDeadLetters,
  requeueDeadLetter,
  type DeadLetter,
} from '../../client/index.js';
import { runStatuses, type RunStatus } from '../../contract/runs/run-view.js';
import { defined } from '../../contract/json/json.js';
import {
  act,
  answerDryRun,
  collect,
  exitCodes,
  jsonText,
  lastArgument,
  ownCommand,
  readCount,
  withDryRun,
  type DryRunFlag,
  type ExitCode,
} from '../command.js';
import { withSession, type Session } from '../session.js';

interface RequeueFlags extends DryRunFlag {
  again?: boolean;
  as?: string;
}

interface DropFlags extends DryRunFlag {
  reason?: string;
  as?: string;
}

interface ListFlags {
  run?: string;
  procedure?: string;
  status?: RunStatus;
  prefix?: string;
  maxDeliveryCount?: string;
  includeErrors: string[];
  excludeErrors: string[];
  all?: boolean;
  limit: string;
  after?: string;
}

/** `dlq list`, `show LETTER`, `requeue LETTER`, `drop LETTER`: calls that gave up. */
export function dlqCommand(): Command {
  return new Command('dlq')
    .description(
      'list calls that gave up and ended their run, and intents that nobody sends; try them again, or drop them',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(requeueCommand())
    .addCommand(dropCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('list dead letters, those of the newest runs first')
    .option('--run <run>', 'of this run only')
    .option('--procedure <name>', 'of runs of this procedure only')
    .addOption(new Option('--status <status>', 'of runs with this status only').choices(runStatuses))
    .option('--prefix <text>', 'of runs whose id begins so')
    .option(
      '--include-errors <code>',
      'errors of this code, however seldom the call was tried; may be repeated',
      collect,
      [],
    )
    .option(
      '--exclude-errors <code>',
      'no errors of this code; wins over --include-errors; may be repeated',
      collect,
      [],
    )
    .option(
      '--max-delivery-count <n>',
      'calls that were tried so often (default: 1; with --include-errors: those errors only)',
    )
    .option('--all', 'with those that were requeued, sent or dropped')
    .option('--limit <n>', 'at most so many', '50')
    .option('--after <token>', '`next` of the page before')
    .action(
      act(async (context, flags: ListFlags) => {
        const { run, procedure, status, prefix, includeErrors, excludeErrors, all, after } = flags;
        const { maxDeliveryCount: count } = flags;
        const filter = {
          ...{ includeErrors, excludeErrors, limit: readCount(flags.limit, '--limit') },
          ...defined({ run, procedure, status, prefix, isSettledToo: all, after }),
          ...(count === undefined ? {} : { maxDeliveryCount: readCount(count, '--max-delivery-count') }),
        };
        return withSession(context, async (session) => {
          const list = await listDeadLetters(session.tactus, filter, session.asking);
          const { dead_letters: letters, missing, next } = list;
          context.screen.answer(list, () => letters.map(lineOf).join('\n') || 'no dead letters');
          for (const { run_id: id, reason } of missing)
            context.screen.warn(`${id} could not be read: ${reason}`);
          if (next !== null) context.screen.note(`There may be more: --after ${next}`);
          return exitCodes.done;
        });
      }),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('show a dead letter')
    .argument('<letter>', 'its id, as list shows it')
    .action(
      act(async (context, _flags: object, id: string) =>
        withSession(context, async (session) => {
          const { letter } = await findDeadLetter(session.tactus, id, session.asking);
          context.screen.answer(letter, () => letterText(letter));
          return exitCodes.done;
        }),
      ),
    );
}

function requeueCommand(): Command {
  return withDryRun(new Command('requeue'))
    .description(
      'try a dead letter again: another run goes on with all that succeeded, or the intent is sent under its own key',
    )
    .argument('<letter>', 'its id, as list shows it')
    .option('--again', 'also if nobody knows whether the call was done')
    .option('--as <who>', 'who does it')
    .action(
      act(async (context, { again = false, as: by, dryRun }: RequeueFlags, id: string) =>
        withSession(context, async (session) => {
          // Its worker would only get into its hands what it can't perform.
          const onRead = (): Promise<void> => session.worker.end();
          const options = { again, by: by ?? null, onRead, ...defined({ dryRun }) };
          const requeued = await requeueDeadLetter(session.tactus, id, options, session.asking);
          const { screen } = context;
          if (dryRun === true) return answerDryRun(context, `try ${id} again`, requeued.letter);
          if (requeued.run !== null) {
            const { runId } = requeued.run;
            screen.answer(requeued.letter, () => runId);
            screen.note(`It goes on with all that succeeded: ${ownCommand(`resume ${lastArgument(runId)}`)}`);
            return exitCodes.done;
          }
          const letter = await untilSettled(session, id);
          screen.answer(letter, () => letterText(letter));
          if (letter.state === 'requeued')
            screen.warn('It is not sent yet: a worker of this version must take it.');
          return exitCodeOf(letter);
        }),
      ),
    );
}

function exitCodeOf({ state }: DeadLetter): ExitCode {
  if (state === 'sent') return exitCodes.done;
  return state === 'requeued' ? exitCodes.goesOn : exitCodes.failed;
}

const sentWithinMs = 30_000;

/** What becomes of an intent within some time. */
async function untilSettled(session: Session, id: string): Promise<DeadLetter> {
  await session.worker.end();
  await session.worker.provide({ performs: true });
  for (const end = Date.now() + sentWithinMs; ; await wait(300)) {
    const { letter } = await findDeadLetter(session.tactus, id, session.asking);
    if (letter.state !== 'requeued' || Date.now() > end) return letter;
  }
}

function dropCommand(): Command {
  return withDryRun(new Command('drop'))
    .description('drop a dead letter: lists leave it out, and nothing is sent or started')
    .argument('<letter>', 'its id, as list shows it')
    .option('--reason <text>', 'why, for whoever looks later')
    .option('--as <who>', 'who does it')
    .action(
      act(async (context, { reason, as: by, dryRun }: DropFlags, id: string) =>
        withSession(context, async (session) => {
          const options = { by: by ?? null, reason: reason ?? null, ...defined({ dryRun }) };
          const letter = await dropDeadLetter(session.tactus, id, options, session.asking);
          if (dryRun === true) return answerDryRun(context, `drop ${id}`, letter);
          context.screen.answer(letter, () => letterText(letter));
          return exitCodes.done;
        }),
      ),
    );
}

function lineOf({ id, state, type, name, attempts, error }: DeadLetter): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return `${id}  ${state}  ${type} ${name}  ${tries}  ${error?.message ?? 'never tried'}`;
}

function letterText(letter: DeadLetter): string {
  const {
    procedure,
    run_status: status,
    failed_at: at,
    source,
    key,
    payload,
    requeued_as: fork,
    dropped,
  } = letter;
  return [
    lineOf(letter),
    `  procedure ${procedure}, run ${status}${at === null ? '' : `, gave up at ${at}`}`,
    ...(source === null ? [] : [`  at ${source.file}:${source.line}`]),
    ...(letter.error?.code == null ? [] : [`  error ${letter.error.code}`]),
    ...(key === null ? [] : [`  key ${key}`, `  payload ${jsonText(payload)}`]),
    ...(fork === null ? [] : [`  requeued as ${fork}`]),
    ...(dropped === null
      ? []
      : [
          `  dropped${dropped.by === null ? '' : ` by ${dropped.by}`} at ${dropped.at}${dropped.reason === null ? '' : `: ${dropped.reason}`}`,
        ]),
  ].join('\n');
}
