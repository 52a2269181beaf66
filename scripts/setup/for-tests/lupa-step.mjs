import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { fetchWheel } from '../fetch-wheel.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { pythonWithPip } from '../python-with-pip.mjs';
import { runCommand } from '../run-command.mjs';

/** Which wheels a Python takes, and where it is: another one on PATH later could not load them. */
const ask =
  "import sys; print(sys.implementation.cache_tag.replace('cpython-', 'cp')); print(sys.executable)";

/** The Lua of the reference, a library of Python: the tests compare what Lua programs do there and here. */
export async function lupaStep() {
  const asked = await runCommand(await pythonWithPip(), ['-c', ask], { timeoutMs: 10_000 });
  const [tag = '', python = ''] = asked.stdout.trim().split('\n');
  const platform = `${thisPlatform()}-${tag}`;
  const artefact = pinnedArtefact('lupa', platform);
  const version = (artefact.wheel ?? '').split('==').pop() ?? '';
  const folder = join(cacheFolder(), `lupa-${version}-${platform}`);
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: [join('lupa', '__init__.py')],
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      await rename(join(await fetchWheel(artefact, scratch), 'lupa'), join(draft, 'lupa'));
      await rm(scratch, { recursive: true });
    },
  });
  return { python, packages: folder, detail: `${version}, for ${tag}`, made };
}
