import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { fetchNpmPackage } from './fetch-npm-package.mjs';
import { keptFolder } from './kept-folder.mjs';
import { leastNode } from './least-node.mjs';
import { pinnedArtefact } from './pinned-artefact.mjs';
import { thisPlatform } from './platform-name.mjs';
import { SetUpError } from './set-up-error.mjs';
import { isAtLeast, parseVersion } from './version.mjs';

const byHand = `Install Node.js ${leastNode.join('.')} or newer.`;

/** The Node that runs the project: the one that runs this, or a newer one from an npm package that carries it. */
export async function nodeStep() {
  const running = parseVersion(process.versions.node);
  if (running && isAtLeast(running, leastNode)) {
    return { node: process.execPath, detail: `${process.versions.node}, which runs this` };
  }
  try {
    return await fetchedNode();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    throw new SetUpError(
      `Node ${process.versions.node} is too old, and ${error.message}`,
      `${byHand} ${error.advice}`,
    );
  }
}

async function fetchedNode() {
  const platform = thisPlatform();
  const artefact = pinnedArtefact('node', platform);
  const version = (artefact.npm ?? '').split('@').pop();
  const folder = join(cacheFolder(), `node-${version}-${platform}`);
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: ['bin/node'],
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      await fetchNpmPackage(artefact, { scratch, into: draft, only: ['bin/node', 'LICENSE'] });
      await rm(scratch, { recursive: true });
    },
  });
  const node = join(folder, 'bin', 'node');
  return {
    node,
    detail: `${version} (the machine's is ${process.versions.node})`,
    made,
    bytes: (await stat(node)).size,
  };
}
