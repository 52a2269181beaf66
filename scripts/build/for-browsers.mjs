import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How scripts for browsers are made: those of the page, and of the playground. */
export const forBrowsers = /** @type {const} */ ({
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
});

/**
 * The licences of the packages that scripts for browsers contain.
 * @param {string} root
 * @param {readonly string[]} inputs files that were bundled
 * @param {readonly string[]} packages those whose licence is known to allow it
 * @throws Error where another one is bundled
 */
export function licencesOf(root, inputs, packages) {
  /** @param {string} name */
  const isOf = (name) => (/** @type {string} */ file) => file.includes(`node_modules/${name}/`);
  const unknown = inputs.find(
    (file) => file.includes('node_modules/') && !packages.some((name) => isOf(name)(file)),
  );
  if (unknown !== undefined)
    throw new Error(`${unknown} is bundled for browsers, and its licence isn't shown`);
  return packages
    .filter((name) => inputs.some(isOf(name)))
    .map((name) => `${name}\n${'='.repeat(name.length)}\n\n${licenceOf(root, name)}`)
    .join('\n\n');
}

/**
 * @param {string} root
 * @param {string} name
 */
function licenceOf(root, name) {
  const folder = join(root, 'node_modules', name);
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE-MIT.txt', 'license'].find((each) =>
    existsSync(join(folder, each)),
  );
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8');
  // It says it in its description alone.
  const { license, author, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (license !== 'MIT') throw new Error(`${name} has no licence file, and its licence isn't MIT`);
  return `MIT License, by ${author?.name ?? author}\n${homepage}\n`;
}
