/** `npm run build`: fengari, the compiled sources and the workflow bundle, when anything changed since the last one. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash } from './build/content-hash.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
const dist = join(root, 'dist');
const generated = join(root, 'src', 'lua-bridge', 'vm', 'fengari.generated.js');
const sources = [
  'src',
  'scripts/build',
  'scripts/build.mjs',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];

const start = performance.now();
const stamp = await contentHash(root, sources, (file) => !file.endsWith('.generated.js'));
if (isBuilt()) say('up to date');
else process.exitCode = (await build()) ? 0 : 1;

function isBuilt() {
  const file = join(dist, '.stamp');
  return existsSync(generated) && existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

async function build() {
  const { buildFengari } = await import('./build/fengari.mjs');
  await buildFengari();
  // Built beside and moved into place, so that a failed build leaves the last good one.
  const draft = join(root, `dist-${process.pid}`);
  await mkdir(draft);
  try {
    const { compile } = await import('./build/compile.mjs');
    if (!(await compile(root, draft))) return false;
    const { buildWorkflowBundle } = await import('./build/workflow-bundle.mjs');
    if (!(await buildWorkflowBundle(root, draft))) say('no workflows to bundle yet');
    await writeFile(join(draft, '.stamp'), stamp);
    await rm(dist, { recursive: true, force: true });
    await rename(draft, dist);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  say(`done in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return true;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`build  ${text}\n`);
}
