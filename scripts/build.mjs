/** `npm run build`: fengari, the compiled sources, the page, the workflow bundle and the wheel for Python, when anything changed since the last one. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash } from './build/content-hash.mjs';
import { generatedLists } from './build/folder-list.mjs';
import { buildPythonWheel } from './build/python-wheel.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
const dist = join(root, 'dist');
const generated = [
  join(root, 'src', 'lua-bridge', 'vm', 'fengari.generated.js'),
  join(root, 'src', 'language', 'language.generated.js'),
  ...generatedLists(root),
];
const sources = [
  'src',
  'types',
  'scripts/build',
  'scripts/build.mjs',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];

const start = performance.now();
const stamp = await contentHash(root, sources, (file) => !/\.generated\.[jt]s$/.test(file));
if (isBuilt()) say('up to date');
else process.exitCode = (await build()) ? 0 : 1;
await wheel();

function isBuilt() {
  const file = join(dist, '.stamp');
  return generated.every(existsSync) && existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

async function build() {
  const { buildFengari } = await import('./build/fengari.mjs');
  await buildFengari();
  const { buildLanguage } = await import('./build/language.mjs');
  buildLanguage(root);
  const { writeEffectLists } = await import('./build/folder-list.mjs');
  writeEffectLists(root);
  // Built beside and moved into place, so that a failed build leaves the last good one.
  const draft = join(root, `dist-${process.pid}`);
  await mkdir(draft);
  try {
    const { compile } = await import('./build/compile.mjs');
    if (!(await compile(root, draft))) return false;
    const { bundleEnvconfig } = await import('./build/bundle-envconfig.mjs');
    await bundleEnvconfig(draft);
    const { buildPage } = await import('./build/page.mjs');
    await buildPage(root, draft);
    const { buildWorkflowBundle } = await import('./build/workflow-bundle.mjs');
    if (!(await buildWorkflowBundle(draft))) say('no workflows to bundle yet');
    await writeFile(join(draft, '.stamp'), stamp);
    await rm(dist, { recursive: true, force: true });
    await rename(draft, dist);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  say(`done in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return true;
}

/** What runs procedures does without Python. */
async function wheel() {
  const name = await buildPythonWheel(root);
  say(name === null ? 'no wheel for Python: the set-up for tests gets what it takes' : `python/dist/${name}`);
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`build  ${text}\n`);
}
