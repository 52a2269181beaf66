import { Command } from 'commander';
import { existsSync, writeFileSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { generateKey } from '../../authority/signature.js';
import { keyIdPattern } from '../../contract/authority/authority.js';
import { TactusError, act, exitCodes } from '../command.js';
import { configure, filesFolder } from '../configure.js';

/** `authority keygen ID`: keys for signed decisions. */
export function authorityCommand(): Command {
  const command = new Command('authority').description('manage keys for signed decisions');
  command
    .command('keygen')
    .description('create an Ed25519 key pair: a file to sign with, and the configuration for workers')
    .argument('<id>', 'id of the key: letters, digits, _ and -; a date makes it unique')
    .option('--out <file>', 'file for the private key (default: ID.pem); an existing file is kept')
    .action(
      act(async ({ screen, options }, { out }: { out?: string }, id: string) => {
        await configure(null, {}, screen);
        if (!keyIdPattern.test(id))
          throw new TactusError(
            'usage',
            `${JSON.stringify(id)} is no id of a key: letters, digits, _ and - are`,
          );
        const file = out ?? `${id}.pem`;
        assertOutside(file, filesFolder(options).path);
        const { privatePem, ed25519 } = generateKey();
        writeKey(file, privatePem);
        const configuration = { authority: { keys: { [id]: { ed25519 } } } };
        screen.answer({ id, file, ...configuration }, () =>
          [
            `The private key is in ${file}. Add to .tactus/config.yml where workers and runs are started:`,
            ...['', 'authority:', '  keys:', `    "${id}":`, `      ed25519: "${ed25519}"`],
          ].join('\n'),
        );
        return exitCodes.done;
      }),
    );
  return command;
}

/** @throws TactusError usage where procedures may use what lies there */
function assertOutside(file: string, files: string): void {
  const below = relative(files, resolve(file));
  if (below.split(sep)[0] === '..' || isAbsolute(below)) return;
  throw new TactusError(
    'usage',
    `${file} lies in the folder of files of procedures, ${files}: keys don't belong there. Name another place with --out`,
  );
}

/** @throws TactusError usage where the file is there, or can't be written */
function writeKey(file: string, pem: string): void {
  if (existsSync(file)) throw new TactusError('usage', `${file} exists already and is kept`);
  try {
    writeFileSync(file, pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new TactusError('usage', `${file} can't be written: ${(error as Error).message}`);
  }
}
