import { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readPrompts, withPrompts, type Prompts } from '../../contract/procedures/prompts.js';
import type { PublishedProcedure } from '../../contract/procedures/published.js';
import { defined } from '../../contract/json/json.js';
import { countOpenRuns } from '../../client/runs/index.js';
import { collectFile, unreadFile } from '../../sources/collect-source.js';
import {
  act,
  exitCodes,
  lastArgument,
  ownCommand,
  readCount,
  shellWord,
  TactusError,
  withDryRun,
  type Context,
  type DryRunFlag,
  type ExitCode,
} from '../command.js';
import { configure, withSettingOptions, type SettingFlags } from '../configure.js';
import { withSession, type Session } from '../session.js';
import { assertValid } from './read-procedure.js';

interface ActorFlags extends DryRunFlag {
  as?: string;
}

interface PublishFlags extends ActorFlags, SettingFlags {
  share?: string;
  prompts?: string;
  validate?: boolean;
}

/** `publish NAME FILE`, `publish list NAME`: versions of a procedure that the cluster keeps. */
export function publishCommand(): Command {
  return withDryRun(withSettingOptions(new Command('publish')))
    .description('publish a procedure under a name: runs that are started by the name begin with it')
    .argument('<name>', 'its name, such as review or support/triage')
    .argument('[file]', 'the procedure: a .tac file; left out with --prompts: the code stays as it is')
    .option('--prompts <file>', 'texts of prompts to publish, apart from the code: {"tone": "Be brief."}')
    .option('--share <percent>', 'how many of the runs begin with this version, such as 10% (default: all)')
    .option('--no-validate', 'publish it even if validate finds errors')
    .option('--as <who>', 'who publishes it')
    .addCommand(listCommand())
    .action(
      act(async (context, flags: PublishFlags, name: string, file?: string) => {
        const share = flags.share === undefined ? undefined : readShare(flags.share);
        const options = { ...orderOf(flags), ...defined({ share }) };
        const prompts = flags.prompts === undefined ? null : await promptsIn(flags.prompts);
        if (file === undefined) {
          if (prompts === null)
            throw new TactusError('usage', 'publish needs a FILE, --prompts FILE, or both');
          return answered(context, flags, ({ tactus }) =>
            tactus.published.publishPrompts(name, prompts, options),
          );
        }
        const collected = await collectFile(file);
        const source = prompts === null ? collected : withPrompts(collected, prompts);
        const { settings, files } = await configure(file, flags, context.screen);
        if (flags.validate !== false)
          await assertValid(file, settings, context.screen, ['published', 'publishes']);
        const { files: ofAll } = await configure(null, flags, context.screen);
        for (const each of files.filter((one) => !ofAll.includes(one)))
          context.screen.note(`${each} is not published: the configuration of its worker holds for a run`);
        return answered(context, flags, ({ tactus }) => tactus.published.publish(name, source, options));
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('list the versions of a published procedure')
    .argument('<name>', 'its name')
    .action(
      act(async (context, _flags: object, name: string) =>
        withSession(context, async (session) => {
          const { look } = session.asking;
          return answer(context, await look(() => session.tactus.published.read(name)));
        }),
      ),
    );
}

/** `promote NAME VERSION`: all runs that are started by the name begin with this version. */
export function promoteCommand(): Command {
  return withDryRun(new Command('promote'))
    .description('have all runs of a published procedure begin with one of its versions')
    .argument('<name>', 'its name')
    .argument('<version>', 'the version, as publish list shows it')
    .option('--as <who>', 'who does it')
    .action(
      act(async (context, flags: ActorFlags, name: string, given: string) => {
        const version = readCount(given, 'promote');
        const order = orderOf(flags);
        return answered(context, flags, ({ tactus }) => tactus.published.promote(name, version, order));
      }),
    );
}

/** `rollback NAME`: runs begin with the version before. */
export function rollbackCommand(): Command {
  return withDryRun(new Command('rollback'))
    .description('go back to the version before: trials end, or else the version that all runs begin with')
    .argument('<name>', 'its name')
    .option('--as <who>', 'who does it')
    .action(
      act(async (context, flags: ActorFlags, name: string) => {
        const order = orderOf(flags);
        const { screen } = context;
        return withSession(context, async (session) => {
          const { published } = session.tactus;
          const before = await session.asking.look(() => published.read(name));
          const after = await session.ask(() => published.rollback(name, order));
          if (order.dryRun === true) return answerVersions(context, after);
          // The rollback holds: what can't be counted is no error of it.
          const flight = await inFlight(session, before, after).catch(() => null);
          screen.answer({ ...after, in_flight: flight }, () => versionsText(after));
          const open = ownCommand(`list --open --procedure ${lastArgument(name)}`);
          screen.note(`Runs that have begun go on with their version: ${open}`);
          if (flight?.upgrade != null)
            screen.note(`${flightText(flight)} To move them to the version before: ${flight.upgrade}`);
          return exitCodes.done;
        });
      }),
    );
}

/** Open runs of the versions that a rollback has ended, and the command that moves them. */
interface InFlight {
  /** 10,000 at most. */
  runs: number;
  /** null: there are none. */
  upgrade: string | null;
}

const mostCounted = 10_000;

async function inFlight(
  { tactus }: Session,
  before: PublishedProcedure,
  { name, versions }: PublishedProcedure,
): Promise<InFlight> {
  const shareIn = ({ versions: all }: PublishedProcedure, version: number): number =>
    all.find((each) => each.version === version)?.share ?? 0;
  const ended = versions.flatMap(({ version, share }) =>
    share === 0 && shareIn(before, version) > 0 ? [version] : [],
  );
  const to = versions.find(({ share }) => share === 100)?.version;
  if (ended.length === 0 || to === undefined) return { runs: 0, upgrade: null };
  const runs = await countOpenRuns(tactus, { procedure: name, versions: new Set(ended) }, mostCounted);
  const from = ended.map((version) => `--from ${version}`).join(' ');
  const command = `upgrade --procedure ${shellWord(name)} --all ${from} --to ${to}`;
  return { runs, upgrade: runs === 0 ? null : ownCommand(command) };
}

function flightText({ runs }: InFlight): string {
  const count = runs === mostCounted ? `${runs} or more` : `${runs}`;
  return runs === 1
    ? '1 open run has what was rolled back.'
    : `${count} open runs have what was rolled back.`;
}

/** However often it has to be sent, it is one order. */
function orderOf({ as: by, dryRun }: ActorFlags): { by?: string; id: string; dryRun?: boolean } {
  return { ...defined({ by, dryRun }), id: randomUUID() };
}

/** @throws TactusError source_not_found, source_invalid */
async function promptsIn(file: string): Promise<Prompts> {
  const text = await readFile(file, 'utf8').catch(async () => {
    throw await unreadFile(file);
  });
  return readPrompts(text, file);
}

/** @throws TactusError usage */
function readShare(text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim()) ?? [];
  if (digits === undefined)
    throw new TactusError('usage', `--share takes a number of per cent such as 10%, not ${text}`);
  return Number(digits);
}

function answered(
  context: Context,
  { dryRun }: DryRunFlag,
  order: (session: Session) => Promise<PublishedProcedure>,
) {
  return withSession(context, async (session) => {
    const published = await session.ask(() => order(session));
    return dryRun === true ? answerVersions(context, published) : answer(context, published);
  });
}

/** Of a dry run: the versions as they would be. */
function answerVersions({ screen }: Context, published: PublishedProcedure): ExitCode {
  screen.answer({ dry_run: true, ...published }, () => `It would come to:\n${versionsText(published)}`);
  return exitCodes.done;
}

function answer({ screen }: Context, published: PublishedProcedure) {
  screen.answer(published, () => versionsText(published));
  return exitCodes.done;
}

/** A line for each version, the newest first. */
export function versionsText({ versions }: PublishedProcedure): string {
  return versions
    .toReversed()
    .map(({ version, share, published_at, by, digest }) => {
      const who = by === null ? '' : ` by ${by}`;
      return `version ${version}  ${share} %  ${published_at}${who}  ${digest}`;
    })
    .join('\n');
}
