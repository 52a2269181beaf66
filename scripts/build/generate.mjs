import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contentHash } from './content-hash.mjs';
import { effectRooms, generatedLists, isEffect, writeEffectLists } from './effect-lists.mjs';

const sources = ['types', 'scripts/build', 'package-lock.json'];

/** @param {string} file */
export const isGenerated = (file) => /\.generated\.[jt]s$/.test(file);

/**
 * Makes the sources that are made of others: our fengari, what `types/` declares, and the lists of effects. Does nothing where
 * all are there and nothing has changed since.
 * @param {string} root the project's folder
 */
export async function generate(root) {
  const stampFile = join(root, '.toolchain', 'generated.stamp');
  const made = await contentHash(root, sources, (file) => !isGenerated(file));
  const stamp = `${made} ${await contentHash(root, effectRooms, isEffect)}`;
  const files = [
    join(root, 'src', 'lua-bridge', 'vm', 'fengari.generated.js'),
    join(root, 'src', 'language', 'language.generated.js'),
    ...generatedLists(root),
  ];
  if (files.every(existsSync) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const { buildFengari } = await import('./fengari.mjs');
  await buildFengari();
  const { buildLanguage } = await import('./language.mjs');
  buildLanguage(root);
  writeEffectLists(root);
  await mkdir(dirname(stampFile), { recursive: true });
  // Clones may share a file by a hard link.
  await writeFile(`${stampFile}.new`, stamp);
  await rename(`${stampFile}.new`, stampFile);
}
