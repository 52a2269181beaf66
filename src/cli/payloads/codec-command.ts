import { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { keyIdPattern } from '../../contract/payloads/codec-settings.js';
import type { SubjectKeys, ToldSubject } from '../../worker/payloads/index.js';
import {
  act,
  answerDryRun,
  exitCodes,
  TactusError,
  withDryRun,
  type Context,
  type DryRunFlag,
} from '../command.js';
import { configure } from '../configure.js';

/** `codec key ID`: a key that encrypts payloads; and what becomes of the keys of subjects. */
export function codecCommand(): Command {
  const command = new Command('codec').description('encryption of payloads (codec in .tactus/config.yml)');
  command
    .command('key')
    .description('create a key that encrypts payloads: the key itself, and its lines for the configuration')
    .argument('<id>', 'id of the key, such as nov-2026: it stands readable in each payload')
    .action(
      act(async ({ screen }, _flags: object, id: string) => {
        if (!keyIdPattern.test(id))
          throw new TactusError(
            'usage',
            'The id of a key has letters, digits, dots, hyphens and underscores, 64 at most',
          );
        const key = randomBytes(32).toString('base64');
        const variable = `TACTUS_KEY_${id.toUpperCase().replace(/\W/g, '_')}`;
        screen.answer({ id, key, variable }, () => keyText(id, key, variable));
        return exitCodes.done;
      }),
    );
  command
    .command('subjects')
    .description('list the subjects that have a key of their own (codec.encryption.subjects)')
    .action(
      act(async (context) => {
        const subjects = await (await subjectKeys(context)).list();
        context.screen.answer({ subjects }, () => subjectsText(subjects));
        return exitCodes.done;
      }),
    );
  withDryRun(command.command('destroy'))
    .description('destroy the key of a subject: nobody can read its runs from then on')
    .argument('<subject>', 'name of the subject: what stands before the first / of the ids of its runs')
    .option('--yes', 'do not ask')
    .action(
      act(async (context, { yes = false, dryRun }: DryRunFlag & { yes?: boolean }, subject: string) => {
        const { screen, options } = context;
        const keys = await subjectKeys(context);
        if (dryRun === true) {
          const found = (await keys.list()).find((each) => each.subject === subject);
          if (found === undefined) throw noKeyOf(subject);
          return answerDryRun(context, `destroy the key of ${subject}`, { ...found });
        }
        if (!yes) await consent(subject, options.json === true);
        const destroyed = await keys.destroy(subject);
        if (destroyed === null) throw noKeyOf(subject);
        screen.answer({ ...destroyed, subject }, () => destroyedText(subject, destroyed));
        return exitCodes.done;
      }),
    );
  withDryRun(command.command('rewrap'))
    .description('encrypt the keys of all subjects with the current key (codec.encryption.key)')
    .action(
      act(async (context, { dryRun }: DryRunFlag) => {
        const keys = await subjectKeys(context);
        if (dryRun === true) {
          const { key: current } = (await configure(null, {}, context.screen)).codec.encryption ?? {};
          const all = (await keys.list()).filter(({ master }) => master !== null);
          const rewrapped = all.filter(({ master }) => master !== current).length;
          const would = `encrypt ${rewrapped} of ${all.length} keys with the current key`;
          return answerDryRun(context, would, { keys: all.length, rewrapped });
        }
        const done = await keys.rewrap();
        context.screen.answer(
          { ...done },
          () => `${done.rewrapped} of ${done.keys} keys were encrypted with the current key`,
        );
        return exitCodes.done;
      }),
    );
  return command;
}

/** @throws TactusError usage where none are configured; config_invalid, missing_key */
async function subjectKeys({ screen }: Context): Promise<SubjectKeys> {
  const { codec } = await configure(null, {}, screen);
  const { encryption } = codec;
  if (encryption === null || encryption.subjects === null)
    throw new TactusError(
      'usage',
      'No subject has a key of its own: codec.encryption.subjects in .tactus/config.yml is not set',
    );
  const { openSubjectKeys } = await import('../../worker/payloads/index.js');
  return openSubjectKeys({ ...encryption, subjects: encryption.subjects }, process.env);
}

function noKeyOf(subject: string): TactusError {
  return new TactusError('usage', `${JSON.stringify(subject)} has no key of its own: see codec subjects`);
}

/** @throws TactusError usage where nobody agrees */
async function consent(subject: string, isJson: boolean): Promise<void> {
  if (isJson || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new TactusError('usage', 'Nobody can bring a destroyed key back: confirm it with --yes');
  const { confirm } = await import('@clack/prompts');
  const message = `Destroy the key of ${subject}? Nobody can read its runs from then on, and nobody can bring it back`;
  if ((await confirm({ message, initialValue: false })) !== true)
    throw new TactusError('usage', 'Nothing was destroyed');
}

function subjectsText(subjects: readonly ToldSubject[]): string {
  if (subjects.length === 0) return 'No subject has a key yet';
  return subjects
    .map(({ id, subject, created_at, destroyed_at, master }) =>
      destroyed_at === null
        ? `${subject}  since ${created_at}, encrypted with ${master}`
        : `${id}  destroyed ${destroyed_at}`,
    )
    .join('\n');
}

function destroyedText(subject: string, { destroyed_at }: ToldSubject): string {
  return [
    `The key of ${subject} was destroyed on ${destroyed_at}.`,
    'Nobody can read payloads of its runs on the server, in records, archives and payload stores. Workers and',
    'commands that run forget it within 60 s. No new key is made for it.',
    `Open runs of it are stuck: terminate those that list --open --prefix ${subject} shows.`,
    'Copies of the folder of keys, the index of runs, files of procedures, the audit log and what was exported still',
    'have what they had: erase them, too.',
  ].join('\n');
}

function keyText(id: string, key: string, variable: string): string {
  return [
    key,
    '',
    `is the key ${id}, and is shown this once. Set ${variable} to it, or ${variable}_FILE to a file that holds it,`,
    'for each command and worker. Without it, nobody can read what it has encrypted. Add to .tactus/config.yml:',
    '',
    'codec:',
    '  encryption:',
    `    key: ${JSON.stringify(id)}`,
    '    keys: # keep the lines of older keys here as long as runs need them',
    `      ${JSON.stringify(id)}: ${variable}`,
  ].join('\n');
}
