import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../contract/errors.js';

/** Beside the compiled files; for sources that run uncompiled, as in tests, in `dist` beside them. */
const places = ['../workflow-bundle.js', '../../dist/workflow-bundle.js'];

/** The prebuilt workflow code: a worker starts without bundling anything. */
export function workflowBundlePath(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    throw new TactusError('internal', 'The workflow bundle is not built; run: npm run build');
  return path;
}
