import { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { keyIdPattern } from '../../contract/payloads/codec-settings.js';
import { act, exitCodes, TactusError } from '../command.js';

/** `codec key ID`: a key that encrypts payloads. */
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
  return command;
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
