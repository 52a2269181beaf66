import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../contract/errors.js';

/** The prebuilt workflow code: a worker starts without bundling anything. */
export function workflowBundlePath(): string {
  const path = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (!existsSync(path)) throw new TactusError('internal', 'The workflow bundle is not built; run: npm run build');
  return path;
}
