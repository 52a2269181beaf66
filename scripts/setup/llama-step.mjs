import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';
import { cacheFolder } from './cache-folder.mjs';
import { fetchNpmPackage } from './fetch-npm-package.mjs';
import { keptFolder } from './kept-folder.mjs';
import { pinnedArtefact } from './pinned-artefact.mjs';
import { thisPlatform } from './platform-name.mjs';
import { whyItFailed } from './run-command.mjs';
import { runNpm } from './run-npm.mjs';
import { SetUpError } from './set-up-error.mjs';

const lockFolder = fileURLToPath(new URL('local-model', import.meta.url));

/**
 * node-llama-cpp, which runs the local language model. npm installs it without its optional packages (GPU
 * libraries of 600 MB); the one for this platform's CPU is fetched beside it.
 * @param {string} node
 */
export async function llamaStep(node) {
  const platform = thisPlatform();
  const artefact = pinnedArtefact('llama-runtime', platform);
  const name = (artefact.npm ?? '').replace(/@[^@]+$/, '');
  const version = (artefact.npm ?? '').split('@').pop();
  const folder = join(cacheFolder(), `node-llama-cpp-${version}-${platform}`);
  const lock = await readFile(join(lockFolder, 'package-lock.json'));
  const made = await keptFolder(folder, {
    key: createHash('sha256').update(lock).update(artefact.sha256).digest('hex'),
    files: ['node_modules/node-llama-cpp/package.json', `node_modules/${name}/package.json`],
    async fill(draft) {
      await installRuntime(draft, node);
      const scratch = join(draft, 'scratch');
      await fetchNpmPackage(artefact, { scratch, into: join(draft, 'node_modules', name) });
      await rm(scratch, { recursive: true });
    },
  });
  return {
    llamaPackage: join(folder, 'node_modules', 'node-llama-cpp'),
    detail: `node-llama-cpp ${version}`,
    made,
  };
}

/**
 * @param {string} folder
 * @param {string} node
 */
async function installRuntime(folder, node) {
  for (const file of ['package.json', 'package-lock.json']) {
    await cp(join(lockFolder, file), join(folder, file));
  }
  const args = ['ci', '--prefix', folder, '--omit=optional', '--ignore-scripts'];
  const install = await runNpm(args, { node, cwd: folder, timeoutMs: 300_000 });
  if (install.code === 0) return;
  throw new SetUpError(
    `npm could not install node-llama-cpp: ${whyItFailed(install)}`,
    'Check that npm reaches its registry.',
  );
}
