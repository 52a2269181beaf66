import { Command } from 'commander';
import { holdText, readHoldTarget, type HoldView } from '../../contract/changes/hold.js';
import { defined } from '../../contract/json/json.js';
import { accountName } from '../authority/signing-options.js';
import {
  act,
  answerDryRun,
  exitCodes,
  lastArgument,
  ownCommand,
  readDuration,
  TactusError,
  withDryRun,
  type Context,
  type DryRunFlag,
  type ExitCode,
} from '../command.js';
import { withSession, type Session } from '../session.js';

interface AddFlags extends DryRunFlag {
  reason: string;
  until?: string;
  as?: string;
}

interface ReleaseFlags extends DryRunFlag {
  rate?: string;
}

const targetHelp =
  'provider:NAME, tool:NAME, procedure:NAME, tenant:KEY or queue:NAME; * stands for anything';

/** `hold add`, `hold list`, `hold release`: calls of many runs wait, and begin. */
export function holdCommand(): Command {
  return new Command('hold')
    .description('hold calls of many runs, and release them: what is held waits in its run')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(releaseCommand());
}

function addCommand(): Command {
  return withDryRun(new Command('add'))
    .description('hold all calls of a target: what is under way ends, and no other call begins')
    .argument('<target>', targetHelp)
    .requiredOption('--reason <text>', 'reason, shown with each run that waits')
    .option('--until <time>', 'end of the hold: 18:00, 2026-11-01T08:00Z, or 2h from now (default: none)')
    .option('--as <who>', 'name of the person who holds it (default: your account)')
    .action(
      act(async (context, flags: AddFlags, given: string) => {
        const target = readHoldTarget(given);
        const { reason, as: by = accountName() } = flags;
        const until = flags.until === undefined ? undefined : readEnd(flags.until, new Date());
        if (flags.dryRun === true)
          return answerDryRunFor(context, `hold ${target}`, target, defined({ reason, by, until }));
        return answered(
          context,
          ({ tactus, ask }) => ask(() => tactus.holds.add(target, { reason, by, ...defined({ until }) })),
          () => `To release it: ${ownCommand(`hold release ${lastArgument(target)}`)}`,
        );
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('list what is held, by whom, why, and how many calls wait')
    .action(
      act(async (context, _flags: object) =>
        answered(context, ({ tactus, asking }) => asking.look(() => tactus.holds.list())),
      ),
    );
}

function releaseCommand(): Command {
  return withDryRun(new Command('release'))
    .description('release a hold: the calls that wait for it begin')
    .argument('<target>', 'the target, as hold list shows it')
    .option('--rate <calls>', 'how many begin at most, such as 10/s (default: all at once)')
    .action(
      act(async (context, flags: ReleaseFlags, given: string) => {
        const target = readHoldTarget(given);
        const rate = flags.rate === undefined ? undefined : readRate(flags.rate);
        if (flags.dryRun === true)
          return answerDryRunFor(context, `release ${target}`, target, defined({ rate }));
        return answered(context, ({ tactus, ask }) =>
          ask(() => tactus.holds.release(target, defined({ rate }))),
        );
      }),
    );
}

/** With the hold that the target has now, or null. */
function answerDryRunFor(context: Context, would: string, target: string, told: object): Promise<ExitCode> {
  return withSession(context, async ({ tactus, asking }) => {
    const holds = await asking.look(() => tactus.holds.list());
    const held = holds.find((each) => each.target === target) ?? null;
    return answerDryRun(context, would, { target, held, ...told });
  });
}

async function answered(
  context: Context,
  work: (session: Pick<Session, 'tactus' | 'asking'> & { ask: Session['ask'] }) => Promise<HoldView[]>,
  note: () => string | null = () => null,
): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const { tactus, asking } = session;
    const holds = await work({ tactus, asking, ask: (send) => session.ask(send) });
    context.screen.answer({ holds }, () => holdsText(holds));
    const hint = note();
    if (hint !== null) context.screen.note(hint);
    return exitCodes.done;
  });
}

/** A line for each hold. */
export function holdsText(holds: readonly HoldView[]): string {
  if (holds.length === 0) return 'Nothing is held.';
  return holds.map((hold) => `${holdText(hold)} (${hold.waiting} waiting)`).join('\n');
}

/** `18:00` is the next time that it is so late here. @throws TactusError usage */
export function readEnd(text: string, now: Date): Date {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  if (hours !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const end = new Date(now);
    end.setHours(Number(hours), Number(minutes), 0, 0);
    if (end.getTime() <= now.getTime()) end.setDate(end.getDate() + 1);
    return end;
  }
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(date)) return new Date(date);
  try {
    return new Date(now.getTime() + readDuration(text, '--until'));
  } catch {
    throw new TactusError(
      'usage',
      `--until must be a time such as 18:00 or 2026-11-01T08:00Z, or a duration such as 2h, not ${JSON.stringify(text)}`,
    );
  }
}

/** `10/s`, as a number. @throws TactusError usage */
export function readRate(text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text.trim()) ?? [];
  if (digits === undefined || Number(digits) === 0)
    throw new TactusError('usage', `--rate takes a number of calls each second such as 10/s, not ${text}`);
  return Number(digits);
}
