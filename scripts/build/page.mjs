import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forBrowsers, licencesOf } from './for-browsers.mjs';

/** What the page's script contains of others, with what their licence asks for. */
const packages = ['preact', 'eventsource-parser'];

/**
 * `src/contract` has types and pure functions alone, so the page leaves out what it does not use of it. esbuild does not see this where
 * a table of numbers is computed.
 * @type {import('esbuild').Plugin}
 */
const withoutUnusedContract = {
  name: 'without-unused-contract',
  setup(build) {
    build.onResolve({ filter: /\/contract\/|^\.\.?\// }, async ({ path, ...options }) => {
      if (options.pluginData === 'resolved') return undefined;
      const found = await build.resolve(path, { ...options, pluginData: 'resolved' });
      return /[\\/]src[\\/]contract[\\/]/.test(found.path) ? { ...found, sideEffects: false } : found;
    });
  },
};

/**
 * Builds the page that `serve` shows: one script, one style sheet, an icon, whose names change with their content, so that
 * browsers may keep them for ever, and the document that names them.
 * @param {string} root
 * @param {string} out the folder of the compiled files
 */
export async function buildPage(root, out) {
  const from = join(root, 'src', 'page');
  const to = join(out, 'page');
  const assets = join(to, 'assets');
  await mkdir(assets, { recursive: true });
  const { metafile } = await build({
    ...forBrowsers,
    entryPoints: { page: join(from, 'main.tsx'), styles: join(from, 'styles', 'page.css') },
    outdir: assets,
    entryNames: '[name]-[hash]',
    tsconfig: join(from, 'tsconfig.json'),
    plugins: [withoutUnusedContract],
  });
  const icon = await readFile(join(from, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  await copyFile(join(from, 'icon.svg'), join(assets, iconName));
  const names = Object.keys(metafile.outputs).map((file) => file.split('/').pop() ?? '');
  /** @param {string} ending */
  const named = (ending) => `/assets/${names.find((name) => name.endsWith(ending))}`;
  const html = (await readFile(join(from, 'index.html'), 'utf8'))
    .replace('/assets/icon.svg', `/assets/${iconName}`)
    .replace('/assets/page.css', named('.css'))
    .replace('/assets/page.js', named('.js'));
  await writeFile(join(to, 'index.html'), html);
  await writeFile(join(to, 'LICENSES.txt'), licencesOf(root, Object.keys(metafile.inputs), packages));
}
