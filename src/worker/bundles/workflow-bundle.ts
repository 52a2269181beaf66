import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAtomically } from '../../client/storage/index.js';
import { TactusError } from '../../contract/errors.js';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { workerVersion } from '../sdk-versions.js';
import { withoutStackTraces } from './stack-traces.js';

/** Beside the compiled files; for sources that run uncompiled, as in tests, in `dist` beside them. */
const places = ['../../workflow-bundle.js', '../../../dist/workflow-bundle.js'];

interface CacheFolderModule {
  cacheFolder: () => string;
}

/** The prebuilt workflow code: a worker starts without bundling anything. */
export function workflowBundlePath(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    throw new TactusError('internal', 'The workflow bundle is not built; run: npm run build');
  return path;
}

/** The folder of the compiled files that it was made of. */
export function compiledFolder(): string {
  return dirname(workflowBundlePath());
}

/**
 * The workflow code for the SDK that is installed. The SDK asks for a bundle of exactly its version: where the prebuilt
 * one is of another, one is built, once for all workers of this machine.
 * @throws TactusError internal where the prebuilt one is missing
 */
export async function workflowBundle(): Promise<{ codePath: string } | { code: string }> {
  const prebuilt = workflowBundlePath();
  const version = workerVersion(import.meta.url);
  if (builtWith(prebuilt) === version) return { codePath: prebuilt };
  const own = createHash('sha256')
    .update(await readFile(prebuilt))
    .digest('hex')
    .slice(0, 16);
  const module = new URL('../../../scripts/setup/cache-folder.mjs', import.meta.url).href;
  const { cacheFolder } = (await import(module)) as CacheFolderModule;
  const codePath = join(cacheFolder(), 'workflow-bundles', `${own}-sdk-${version}.js`);
  if (existsSync(codePath)) return { codePath };
  const { bundleWorkflows } = await import('./bundle-workflows.js');
  const code = await bundleWorkflows(dirname(prebuilt));
  // Where nothing can be kept, the next worker builds it again.
  const isKept = await writeAtomically(codePath, code).then(
    () => true,
    () => false,
  );
  return isKept ? { codePath } : { code };
}

/** The build writes it beside the bundle. */
function builtWith(bundle: string): string {
  const { sdk } = JSON.parse(readFileSync(`${bundle}.json`, 'utf8')) as { sdk: string };
  return sdk;
}

/**
 * Workflow code with what its runs can't ask their worker.
 * @param flags globals that are true
 * @param stackTraces whether the SDK keeps them for the query `__stack_trace`
 */
export async function preparedBundle(
  bundle: WorkflowBundleOption,
  { flags, stackTraces }: { flags: readonly string[]; stackTraces: boolean },
): Promise<WorkflowBundleOption> {
  if (flags.length === 0 && stackTraces) return bundle;
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  const before = stackTraces ? '' : withoutStackTraces;
  return { code: `${before}${flags.map((flag) => `globalThis.${flag} = true; `).join('')}${code}` };
}
