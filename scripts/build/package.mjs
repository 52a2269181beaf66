import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What is packed, in place of the compiled files: `exports` of package.json names files in it. */
export const packedFolder = 'lib';
const types = 'types';

/**
 * Rolls up the declarations of what package.json exports.
 * @param {string} root
 * @param {string} dist folder of the compiled files and their declarations
 */
export async function packDeclarations(root, dist) {
  const { rollDeclarations } = await import('./package/declarations.mjs');
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const folder = `./${packedFolder}/${types}/`;
  const entries = Object.values(exports).flatMap((each) => each.types?.replace(folder, '') ?? []);
  await rollDeclarations(dist, join(root, packedFolder, types), entries);
}

/**
 * Bundles the compiled files, and puts what they read beside them: the page, the playground and the workflow bundle.
 * @param {string} root
 * @param {string} dist folder of the compiled files
 */
export async function packModules(root, dist) {
  const { bundleModules } = await import('./package/bundle.mjs');
  const out = join(root, packedFolder);
  // Made beside and moved into place, so that one that fails leaves the last good one.
  const draft = join(root, `${packedFolder}-${process.pid}`);
  await mkdir(draft);
  try {
    await bundleModules(dist, draft);
    for (const name of (await readdir(dist)).filter((each) =>
      /^(page|playground)$|^workflow-bundle\.js/.test(each),
    ))
      await cp(join(dist, name), join(draft, name), { recursive: true });
    if (existsSync(join(out, types))) await rename(join(out, types), join(draft, types));
    await rm(out, { recursive: true, force: true });
    await rename(draft, out);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
