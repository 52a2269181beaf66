import { existsSync, readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sandboxed } from './compile.mjs';
import { contentHash } from './content-hash.mjs';

const names = ['workflow-bundle.js', 'workflow-bundle.js.json'];
const stampName = '.workflow-bundle.stamp';
/** What is in the bundle, and what makes it, by places in the folder of the compiled files. */
const sources = [...sandboxed, 'worker/bundles/bundle-workflows.js'];

/**
 * Bundles the compiled workflows, so that no worker of the same SDK has to when it starts. The bundle of the build before is taken
 * where nothing of it has changed.
 * @param {string} root the project's folder
 * @param {string} out the folder of the compiled files
 * @param {string} before the folder of the build before
 */
export async function buildWorkflowBundle(root, out, before) {
  const stamp =
    (await contentHash(out, sources, (file) => file.endsWith('.js'))) +
    (await contentHash(root, ['package-lock.json']));
  const known = join(before, stampName);
  const isKnown = existsSync(known) && readFileSync(known, 'utf8') === stamp;
  if (isKnown) for (const name of names) await copyFile(join(before, name), join(out, name));
  else await bundle(out);
  await writeFile(join(out, stampName), stamp);
}

/** @param {string} out */
async function bundle(out) {
  /** @param {string} module */
  const compiled = (module) => import(pathToFileURL(join(out, module)).href);
  const { bundleWorkflows } = await compiled('worker/bundles/bundle-workflows.js');
  const { workerVersion } = await compiled('worker/sdk-versions.js');
  const [code = '', facts = ''] = names;
  await writeFile(join(out, code), await bundleWorkflows(out));
  await writeFile(join(out, facts), JSON.stringify({ sdk: workerVersion(import.meta.url) }));
}
