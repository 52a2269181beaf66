import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { fetchWheel } from '../fetch-wheel.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { pythonWithPip } from '../python-with-pip.mjs';
import { runCommand } from '../run-command.mjs';

/** The reference and what its command `control` imports: a fiftieth of all that the reference wants. */
const packages = [
  'tactus',
  'typer',
  'click',
  'shellingham',
  'rich',
  'markdown-it-py',
  'mdurl',
  'pygments',
  'anyio',
  'sniffio',
  'typing-extensions',
];

/** `tactus control` of the reference: the tests let it answer. Its wheels are the same for every Python and platform. */
export async function tactusControlStep() {
  const where = await runCommand(await pythonWithPip(), ['-c', 'import sys; print(sys.executable)'], {
    timeoutMs: 10_000,
  });
  const artefacts = packages.map((name) => pinnedArtefact(`tactus-control/${name}`, 'any'));
  const [version = ''] = artefacts.map(({ wheel = '' }) => wheel.split('==').pop());
  const folder = join(cacheFolder(), `tactus-control-${version}`);
  const made = await keptFolder(folder, {
    key: artefacts.map(({ sha256 }) => sha256).join(' '),
    files: [join('tactus', 'cli', 'control.py'), join('rich', '__init__.py')],
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      for (const artefact of artefacts) {
        await cp(await fetchWheel(artefact, scratch), draft, { recursive: true });
        await rm(scratch, { recursive: true });
      }
    },
  });
  return { python: where.stdout.trim(), packages: folder, detail: version, made };
}
