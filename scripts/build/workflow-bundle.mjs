import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Bundles the compiled workflows, so that no worker of the same SDK has to when it starts.
 * @param {string} out the folder of the compiled files
 * @returns {Promise<boolean>} false when there are no workflows yet
 */
export async function buildWorkflowBundle(out) {
  if (!existsSync(join(out, 'workflows', 'index.js'))) return false;
  /** @param {string} module */
  const compiled = (module) => import(pathToFileURL(join(out, 'worker', module)).href);
  const { bundleWorkflows } = await compiled('bundle-workflows.js');
  const { workerVersion } = await compiled('sdk-versions.js');
  await writeFile(join(out, 'workflow-bundle.js'), await bundleWorkflows(out));
  await writeFile(
    join(out, 'workflow-bundle.js.json'),
    JSON.stringify({ sdk: workerVersion(import.meta.url) }),
  );
  return true;
}
