import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forBrowsers, licencesOf } from './for-browsers.mjs';

/** What its scripts contain of others, with what their licence asks for. */
const packages = [
  ...['preact', 'fflate', 'luaparse', 'fengari', '@noble/hashes', '@cfworker/json-schema'],
  ...['@codemirror/autocomplete', '@codemirror/commands', '@codemirror/language', '@codemirror/legacy-modes'],
  ...['@codemirror/lint', '@codemirror/state', '@codemirror/streamparser', '@codemirror/view'],
  ...[
    '@lezer/common',
    '@lezer/highlight',
    '@lezer/lr',
    '@marijn/find-cluster-break',
    'crelt',
    'style-mod',
    'w3c-keyname',
  ],
];

/**
 * Builds the playground: a document, a style sheet, a small first script, the engine and the editor as parts that it loads, and a service
 * worker that keeps all of them in the browser.
 * @param {string} root
 * @param {string} out the folder of the compiled files
 */
export async function buildPlayground(root, out) {
  const from = join(root, 'src', 'playground');
  const to = join(out, 'playground');
  await mkdir(to, { recursive: true });
  const tsconfig = join(from, 'tsconfig.json');
  const { metafile } = await build({
    ...forBrowsers,
    entryPoints: { playground: join(from, 'main.tsx'), styles: join(from, 'styles', 'playground.css') },
    outdir: to,
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    tsconfig,
  });
  await copyFile(join(root, 'src', 'page', 'icon.svg'), join(to, 'icon.svg'));
  const names = await readdir(to);
  /** @param {RegExp} pattern */
  const named = (pattern) => `./${names.find((name) => pattern.test(name))}`;
  const html = (await readFile(join(from, 'index.html'), 'utf8'))
    .replace('./playground.css', named(/^styles-.*\.css$/))
    .replace('./playground.js', named(/^playground-.*\.js$/));
  await writeFile(join(to, 'index.html'), html);
  const files = ['./', ...names.map((name) => `./${name}`)].sort();
  const version = createHash('sha256')
    .update(JSON.stringify([files, html]))
    .digest('hex')
    .slice(0, 12);
  await build({
    ...forBrowsers,
    entryPoints: [join(from, 'service-worker.ts')],
    outfile: join(to, 'service-worker.js'),
    format: 'iife',
    tsconfig,
    define: { files: JSON.stringify(files), version: JSON.stringify(version) },
  });
  // The engine has the edited sources of fengari in a file of ours.
  const inputs = [...Object.keys(metafile.inputs), 'node_modules/fengari/src/lua.js'];
  await writeFile(join(to, 'LICENSES.txt'), licencesOf(root, inputs, packages));
}
