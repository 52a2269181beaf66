import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { projectFolder } from '../project-folder.mjs';
import { pythonWithPip } from '../python-with-pip.mjs';
import { runCommand, whyItFailed } from '../run-command.mjs';
import { SetUpError } from '../set-up-error.mjs';

/** Which wheels a Python takes, where it is, and its version: another one on PATH later could not load them. */
const ask =
  "import sys; print(sys.implementation.cache_tag.replace('cpython-', 'cp')); print(sys.executable); print(*sys.version_info[:2], sep='.')";

/**
 * Python packages that tests use, each by the hashes of its wheels, in a folder of their own: nothing is installed into Python.
 * @param {object} wanted
 * @param {string} wanted.package the one that the others are for; it names the folder
 * @param {string} wanted.requirements a file in `test/support`, as `uv pip compile --generate-hashes` writes it
 * @param {string} wanted.leastPython such as `3.11`
 * @param {readonly string[]} wanted.files what is looked at to see whether the folder is whole
 * @param {number} [wanted.timeoutMs] for all of it
 * @param {() => void} [wanted.begin] called where they must be fetched, before that
 */
export async function pythonPackages({
  package: name,
  requirements,
  leastPython,
  files,
  timeoutMs = 300_000,
  begin,
}) {
  const asked = await runCommand(await pythonWithPip(), ['-c', ask], { timeoutMs: 10_000 });
  const [tag = '', python = '', pythonVersion = ''] = asked.stdout.trim().split('\n');
  if (minor(pythonVersion) < minor(leastPython))
    throw new SetUpError(`${name} needs Python ${leastPython} or newer`, 'Put a newer python3 on PATH.');
  const file = join(projectFolder, 'test', 'support', requirements);
  const text = await readFile(file, 'utf8');
  const version = new RegExp(`^${name}==(\\S+)`, 'm').exec(text)?.[1] ?? '';
  const folder = join(cacheFolder(), `${basename(requirements, '.txt')}-${version}-${thisPlatform()}-${tag}`);
  const made = await keptFolder(folder, {
    key: createHash('sha256').update(text).digest('hex'),
    files,
    async fill(draft) {
      begin?.();
      // What is kept here, pip needn't keep too.
      const quietly = ['--quiet', '--disable-pip-version-check', '--no-cache-dir', '--no-deps'];
      const pip = ['-m', 'pip', 'install', ...quietly];
      const bounds = ['--only-binary=:all:', '--require-hashes', '--retries', '2', '--timeout', '20'];
      const install = await runCommand(python, [...pip, ...bounds, '--target', draft, '-r', file], {
        timeoutMs,
      });
      if (install.code !== 0)
        throw new SetUpError(
          `pip could not fetch ${name}: ${whyItFailed(install)}`,
          'Check that pip reaches its index.',
        );
    },
  });
  return { python, packages: folder, detail: `${version}, for ${tag}`, made };
}

/** @param {string} version of Python 3 */
function minor(version) {
  return Number(version.split('.')[1]);
}
