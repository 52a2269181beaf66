/**
 * `npm run build`: fengari, the compiled sources, the page, the playground, the workflow bundle and the wheel for Python, when anything changed since the
 * last one. `--types`: the declarations, too, which take most of the time. `--package`: what is packed, in `lib`, with its declarations.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash } from './build/content-hash.mjs';
import { generate, isGenerated } from './build/generate.mjs';
import { packDeclarations, packedFolder, packModules } from './build/package.mjs';
import { buildPythonWheel } from './build/python-wheel.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
const dist = join(root, 'dist');
const lib = join(root, packedFolder);
const sources = [
  'src',
  'types',
  'scripts/build',
  'scripts/build.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];

const start = performance.now();
const stamp = await contentHash(root, sources, (file) => !isGenerated(file));
await generate(root);
const packs = process.argv.includes('--package');
let made = false;
if (!isStamped(join(dist, '.stamp'))) {
  made = true;
  await build();
}
if ((packs || process.argv.includes('--types')) && !isStamped(join(lib, 'types', '.stamp'))) {
  made = true;
  if (!(await declared())) process.exit(1);
}
if (packs && !isStamped(join(lib, '.stamp'))) {
  made = true;
  await packModules(root, dist);
  await writeFile(join(lib, '.stamp'), stamp);
}
say(made ? `done in ${((performance.now() - start) / 1000).toFixed(1)} s` : 'up to date');
await wheel();

/** @param {string} file one that says what it was made of */
function isStamped(file) {
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

async function build() {
  // Built beside and moved into place, so that a failed build leaves the last good one.
  const draft = join(root, `dist-${process.pid}`);
  await mkdir(draft);
  try {
    const { compile } = await import('./build/compile.mjs');
    await compile(root, draft);
    const { bundleEnvconfig } = await import('./build/bundle-envconfig.mjs');
    await bundleEnvconfig(draft);
    const { buildPage } = await import('./build/page.mjs');
    await buildPage(root, draft);
    const { buildPlayground } = await import('./build/playground.mjs');
    await buildPlayground(root, draft);
    const { buildWorkflowBundle } = await import('./build/workflow-bundle.mjs');
    await buildWorkflowBundle(root, draft, dist);
    await writeFile(join(draft, '.stamp'), stamp);
    // The declarations of what was compiled before go with it.
    await rm(join(lib, 'types'), { recursive: true, force: true });
    await rm(dist, { recursive: true, force: true });
    await rename(draft, dist);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Once types fit: beside what is compiled, and rolled up for the package. */
async function declared() {
  const { declare } = await import('./build/compile.mjs');
  if (!(await declare(root, dist))) return false;
  await packDeclarations(root, dist);
  await writeFile(join(lib, 'types', '.stamp'), stamp);
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
