import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { projectFolder } from '../project-folder.mjs';
import { SetUpError } from '../set-up-error.mjs';
import { verifyHash } from '../verify-hash.mjs';

const atOnce = 6;

/**
 * A server that runs on Java, from Maven Central: the files in `test/support/jars/NAME.txt`, each with its hash.
 * @param {string} name
 */
export async function jarsStep(name) {
  const text = await readFile(join(projectFolder, 'test', 'support', 'jars', `${name}.txt`), 'utf8');
  const artefacts = text.trim().split('\n').map(readLine);
  const folder = join(cacheFolder(), `${name}-${artefacts[0]?.version}`);
  const made = await keptFolder(folder, {
    key: createHash('sha256').update(text).digest('hex'),
    files: artefacts.map(({ file }) => file),
    async fill(draft) {
      const left = [...artefacts];
      const go = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) await fetchJar(next, draft);
      };
      await Promise.all(Array.from({ length: atOnce }, go));
    },
  });
  return { path: folder, detail: `${artefacts[0]?.version}`, made };
}

/** @typedef {{ coordinates: string, sha256: string, version: string, file: string }} Jar */

/**
 * @param {string} line `group:artifact:version sha256`, with `:extension` before the version where it is no jar
 * @returns {Jar}
 */
function readLine(line) {
  const [coordinates = '', sha256 = ''] = line.split(' ');
  const [, artifact, ...others] = coordinates.split(':');
  const version = others.pop() ?? '';
  return { coordinates, sha256, version, file: `${artifact}-${version}.${others[0] ?? 'jar'}` };
}

/**
 * @param {Jar} jar
 * @param {string} folder
 */
async function fetchJar({ coordinates, sha256, file }, folder) {
  // Tests alone ask for it, once the packages are there.
  const { default: client } = await import('mvn-artifact-download');
  try {
    await client.default(coordinates, folder, undefined, file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetUpError(
      `${coordinates} could not be fetched: ${reason}`,
      'See that Maven Central is reached.',
    );
  }
  await verifyHash(join(folder, file), sha256);
}
