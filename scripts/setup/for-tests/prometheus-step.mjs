import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { runCommand, whyItFailed } from '../run-command.mjs';
import { SetUpError } from '../set-up-error.mjs';
import { verifyHash } from '../verify-hash.mjs';

const programs = ['prometheus', 'promtool'];

/** Prometheus and promtool as Debian 12 packs them. Nothing is installed: the package is unpacked into the cache. */
export async function prometheusStep() {
  const platform = thisPlatform();
  const artefact = pinnedArtefact('prometheus', platform);
  const version = (artefact.deb ?? '').split('=').pop();
  const folder = join(cacheFolder(), `prometheus-${version}-${platform}`);
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: programs,
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      const content = await fetchDeb(artefact, draft);
      for (const program of programs)
        await rename(join(content, 'usr', 'bin', program), join(draft, program));
      await rm(scratch, { recursive: true });
    },
  });
  return { path: folder, detail: `${version}`, made };
}

/**
 * Fetches one package of Debian without its dependencies and unpacks it.
 * @param {{ deb?: string, sha256: string }} artefact
 * @param {string} draft the download is left in `scratch` of it
 * @returns {Promise<string>} the folder of its content
 */
async function fetchDeb({ deb = '', sha256 }, draft) {
  const scratch = join(draft, 'scratch');
  const content = join(scratch, 'content');
  const lists = join(scratch, 'lists');
  await run('mkdir', ['-p', content, join(lists, 'partial')]);
  // Lists of its own: those of a fresh container are empty, and only root writes them.
  const own = ['-o', `Dir::State::Lists=${lists}`];
  const download = ['download', '-qq', deb];
  const first = await runCommand('apt-get', download, { cwd: scratch, timeoutMs: 120_000 });
  if (first.code !== 0) {
    await run('apt-get', [...own, 'update', '-qq']);
    await run('apt-get', [...own, ...download], scratch);
  }
  const name = (await readdir(scratch)).find((file) => file.endsWith('.deb'));
  if (name === undefined) throw new SetUpError(`apt-get has not fetched ${deb}`, 'Use Debian 12.');
  await verifyHash(join(scratch, name), sha256);
  await run('dpkg-deb', ['-x', join(scratch, name), content]);
  return content;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
async function run(command, args, cwd) {
  const result = await runCommand(command, args, { timeoutMs: 180_000, ...(cwd ? { cwd } : {}) });
  if (result.code !== 0)
    throw new SetUpError(
      `${command} failed: ${whyItFailed(result)}`,
      'Use Debian 12, whose apt-get reaches its mirror.',
    );
}
