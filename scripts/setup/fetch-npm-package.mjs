import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand, whyItFailed } from './run-command.mjs';
import { runNpm } from './run-npm.mjs';
import { SetUpError } from './set-up-error.mjs';
import { verifyHash } from './verify-hash.mjs';

/**
 * Fetches one npm package without its dependencies and unpacks it.
 * @param {{ npm?: string, sha256: string }} artefact
 * @param {{ scratch: string, into: string, only?: readonly string[] }} where `only`: the files wanted of it
 */
export async function fetchNpmPackage({ npm = '', sha256 }, { scratch, into, only = [] }) {
  await mkdir(scratch, { recursive: true });
  const pack = await runNpm(['pack', npm, '--pack-destination', scratch], {
    node: process.execPath,
    cwd: scratch,
    timeoutMs: 300_000,
  });
  const name = pack.stdout.trim().split('\n').pop() ?? '';
  if (pack.code !== 0 || !name) {
    throw new SetUpError(
      `npm could not fetch ${npm}: ${whyItFailed(pack)}`,
      'Check that npm reaches its registry.',
    );
  }
  const tarball = join(scratch, name);
  await verifyHash(tarball, sha256);
  await mkdir(into, { recursive: true });
  const unpack = [
    '-xzf',
    tarball,
    '-C',
    into,
    '--strip-components=1',
    ...only.map((file) => `package/${file}`),
  ];
  const tar = await runCommand('tar', unpack, { timeoutMs: 120_000 });
  if (tar.code !== 0) {
    throw new SetUpError(
      `${name} can't be unpacked: ${whyItFailed(tar)}`,
      'Install tar, and see that there is disk space.',
    );
  }
}
