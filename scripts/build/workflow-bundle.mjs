import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * Evaluated once for all workflows of a worker, and frozen, which saves each run its start and some 300 KB. They keep
 * nothing outside of the objects that they make.
 */
export const preloadedModules = [
  'lua-bridge/vm/fengari.generated.js',
  'lua-bridge/index.js',
  'contract/ledger.js',
  'contract/start-input.js',
  'workflows/pack.js',
];

/**
 * Bundles the compiled workflows, so that no worker has to when it starts.
 * @param {string} root
 * @param {string} out the folder of the compiled files
 * @returns {Promise<boolean>} false when there are no workflows yet
 */
export async function buildWorkflowBundle(root, out) {
  const workflowsPath = join(out, 'workflows', 'index.js');
  if (!existsSync(workflowsPath)) return false;
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules: preloadedModules.map((module) => join(out, module)),
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => ({
      ...config,
      // Names of modules and sources must not depend on where the project lies.
      context: out,
      // Every worker reads the map when it starts: the sources themselves, two thirds of it, would only cost time there.
      devtool: 'inline-nosources-source-map',
      output: {
        ...config.output,
        pathinfo: false,
        devtoolModuleFilenameTemplate: (/** @type {{ absoluteResourcePath: string }} */ info) =>
          relative(root, info.absoluteResourcePath),
      },
      // A package that calls itself free of side effects would silently be dropped from `preloadModules`.
      optimization: { ...config.optimization, sideEffects: false },
    }),
  });
  await writeFile(join(out, 'workflow-bundle.js'), code);
  return true;
}
