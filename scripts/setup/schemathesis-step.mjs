import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { keptFolder } from './kept-folder.mjs';
import { thisPlatform } from './platform-name.mjs';
import { projectFolder } from './project-folder.mjs';
import { pythonWithPip } from './python-with-pip.mjs';
import { runCommand, whyItFailed } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/** All that it takes, each with the hashes of its wheels. */
const requirements = join(projectFolder, 'test', 'support', 'schemathesis.txt');
const ask =
  "import sys; print(sys.implementation.cache_tag.replace('cpython-', 'cp')); print(sys.executable); print(sys.version_info >= (3, 11))";

/** A library of Python that makes up requests by an OpenAPI document: the tests try the HTTP API with it. */
export async function schemathesisStep() {
  const asked = await runCommand(await pythonWithPip(), ['-c', ask], { timeoutMs: 10_000 });
  const [tag = '', python = '', isNewEnough = ''] = asked.stdout.trim().split('\n');
  if (isNewEnough !== 'True')
    throw new SetUpError('schemathesis needs Python 3.11 or newer', 'Put a newer python3 on PATH.');
  const text = await readFile(requirements, 'utf8');
  const version = /^schemathesis==(\S+)/m.exec(text)?.[1] ?? '';
  const folder = join(cacheFolder(), `schemathesis-${version}-${thisPlatform()}-${tag}`);
  const made = await keptFolder(folder, {
    key: createHash('sha256').update(text).digest('hex'),
    files: [join('schemathesis', '__init__.py')],
    async fill(draft) {
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
      const bounds = ['--only-binary=:all:', '--require-hashes', '--retries', '2', '--timeout', '20'];
      const install = await runCommand(python, [...pip, ...bounds, '--target', draft, '-r', requirements], {
        timeoutMs: 300_000,
      });
      if (install.code !== 0)
        throw new SetUpError(
          `pip could not fetch schemathesis: ${whyItFailed(install)}`,
          'Check that pip reaches its index.',
        );
    },
  });
  return { python, packages: folder, detail: `${version}, for ${tag}`, made };
}
