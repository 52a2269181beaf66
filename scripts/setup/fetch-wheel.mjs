import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonWithPip } from './python-with-pip.mjs';
import { runCommand, whyItFailed } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';
import { verifyHash } from './verify-hash.mjs';

/**
 * Fetches one Python wheel without its dependencies and unpacks it. Nothing is installed into Python.
 * @param {{ wheel?: string, sha256: string }} artefact
 * @param {string} folder
 * @returns {Promise<string>} the folder of its content
 */
export async function fetchWheel({ wheel = '', sha256 }, folder) {
  await mkdir(folder, { recursive: true });
  const python = await pythonWithPip();
  const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps'];
  const bounds = ['--only-binary=:all:', '--retries', '2', '--timeout', '20', '--dest', folder, wheel];
  const download = await runCommand(python, [...pip, ...bounds], { timeoutMs: 300_000 });
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  if (download.code !== 0 || !name) {
    throw new SetUpError(
      `pip could not fetch ${wheel}: ${whyItFailed(download)}`,
      'Check that pip reaches its index.',
    );
  }
  await verifyHash(join(folder, name), sha256);
  const content = join(folder, 'content');
  const unzip = await runCommand(python, ['-m', 'zipfile', '-e', join(folder, name), content], {
    timeoutMs: 120_000,
  });
  if (unzip.code !== 0) {
    throw new SetUpError(`${name} can't be unpacked: ${whyItFailed(unzip)}`, 'See that there is disk space.');
  }
  return content;
}
