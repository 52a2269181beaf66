import { defined } from '../../contract/json/json.js';
import { withSettingOptions } from '../configure.js';
import { Command, Option } from 'commander';
import type { ListedSchedule, ScheduleTimes } from '../../client/index.js';
import {
  TactusError,
  act,
  answerDryRun,
  collect,
  exitCodes,
  readDuration,
  withDryRun,
  type Context,
  type DryRunFlag,
} from '../command.js';
import { readProcedure, startOptionsOf, type StartFlags } from '../procedures/read-procedure.js';
import { withSession, type Session } from '../session.js';
import { workerCommand } from '../connection.js';

interface ScheduleFlags extends StartFlags, DryRunFlag {
  cron?: string;
  every?: string;
  timezone?: string;
  overlap: NonNullable<ScheduleTimes['overlap']>;
}

/** `schedule create ID FILE`, `list`, `trigger ID`, `delete ID`: runs that start by themselves. */
export function scheduleCommand(): Command {
  return new Command('schedule')
    .description('manage runs that Temporal starts by a calendar or at an interval')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(
      onOne('trigger', 'start a run of a schedule now', async (session, id) =>
        session.tactus.schedules.trigger(id),
      ),
    )
    .addCommand(
      onOne('delete', 'delete a schedule; runs that it has started go on', async (session, id) =>
        session.tactus.schedules.delete(id),
      ),
    );
}

function createCommand(): Command {
  return withDryRun(withSettingOptions(new Command('create')))
    .description('start a procedure at intervals, with its present source; needs a running worker')
    .argument('<id>', 'id of the schedule, and prefix of the ids of its runs')
    .argument('<file>', 'the procedure: a .tac file')
    .argument('[task]', 'one of its tasks')
    .option('--cron <expression>', 'when, as cron has it: "0 8 * * 1"; or @daily')
    .option('--every <duration>', 'interval: 90s, 15m, 2h, 30d')
    .option('--timezone <name>', 'of the expression, such as Europe/Berlin (default: UTC)')
    .addOption(
      new Option(
        '--overlap <what>',
        'when the run before goes on: start none, wait for its end, or start one beside it',
      )
        .choices(['skip', 'buffer', 'allow'])
        .default('skip'),
    )
    .option('--param <name=value>', 'one field of the input; may be repeated', collect, [])
    .option('--input <json|@file|->', 'the input as JSON, from a file, or from stdin')
    .option('--no-validate', 'even if validate finds errors')
    .option('--timeout <duration>', 'time limit of each run')
    .option('--label <key=value>', 'a label of each run, to find it by; may be repeated', collect, [])
    .action(
      act(async (context, flags: ScheduleFlags, id: string, file: string, task?: string) => {
        const times = timesOf(flags);
        const procedure = await readProcedure(file, task, flags, context.screen);
        return withSession(context, async (session) => {
          const { source, input } = procedure;
          const options = startOptionsOf(procedure, session);
          if (flags.dryRun === true) {
            if ((await session.tactus.schedules.list()).some(({ schedule }) => schedule === id))
              throw new TactusError('run_conflict', `There is a schedule ${id} already`);
            return answerDryRun(context, `create the schedule ${id}`, { schedule: id, ...times });
          }
          const next = await session.tactus.schedules.create(id, source, input, times, options);
          context.screen.answer({ schedule: id, next }, () => `${id}: next at ${next.join(', ')}`);
          context.screen.note(
            `A worker must be running then to perform its runs: ${workerCommand(session, file)}. The embedded server stops when nobody uses it.`,
          );
          return exitCodes.done;
        });
      }),
    );
}

/** @throws TactusError usage */
function timesOf({ cron, every, timezone, overlap }: ScheduleFlags): ScheduleTimes {
  if ((cron === undefined) === (every === undefined))
    throw new TactusError('usage', 'schedule create needs --cron or --every');
  const everyMs = every === undefined ? undefined : readDuration(every, '--every');
  if (everyMs !== undefined && everyMs < 1_000)
    throw new TactusError('usage', '--every must be a second at least');
  if (everyMs !== undefined && everyMs % 1_000 !== 0)
    throw new TactusError(
      'usage',
      `--every takes whole seconds, and ${every ?? ''} is none: Temporal would leave the rest out`,
    );
  return {
    overlap,
    ...defined({ cron, everyMs, timeZone: timezone }),
  };
}

function listCommand(): Command {
  return new Command('list').description('list schedules of procedures').action(
    act(async (context: Context) =>
      withSession(context, async (session) => {
        const schedules = await session.tactus.schedules.list();
        context.screen.answer({ schedules }, () =>
          schedules.length === 0 ? 'no schedules' : schedules.map(scheduleText).join('\n'),
        );
        return exitCodes.done;
      }),
    ),
  );
}

function scheduleText({ schedule, procedure, paused, next, runs }: ListedSchedule): string {
  const when = paused ? 'paused' : `next at ${next[0] ?? 'no time'}`;
  return `${schedule}  ${procedure}  ${when}  ${runs.length === 0 ? 'no runs yet' : `last ${runs.at(-1)}`}`;
}

function onOne(
  name: string,
  description: string,
  work: (session: Session, id: string) => Promise<void>,
): Command {
  return withDryRun(new Command(name))
    .description(description)
    .argument('<id>', 'id of the schedule')
    .action(
      act(async (context, { dryRun }: DryRunFlag, id: string) =>
        withSession(context, async (session) => {
          if (dryRun === true) {
            const found = (await session.tactus.schedules.list()).find(({ schedule }) => schedule === id);
            if (found === undefined) throw new TactusError('run_not_found', `There is no schedule ${id}`);
            return answerDryRun(context, `${name} the schedule ${id}`, { ...found });
          }
          await work(session, id);
          const done = name === 'delete' ? 'deleted' : 'triggered';
          context.screen.answer({ schedule: id, [done]: true }, () => `${id} ${done}`);
          return exitCodes.done;
        }),
      ),
    );
}
