import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const manifest = 'histories/manifest.json';

/** SHA-256 of each kept file, by its path below this folder. */
export type Manifest = Record<string, string>;

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(folder, manifest), 'utf8')) as Manifest;
}

/** What is there now: all of `histories/` and `bundles/` but the manifest itself. */
export function hashesOfKept(): Manifest {
  const names = ['histories', 'bundles'].flatMap((room) =>
    readdirSync(join(folder, room), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(folder.length).replaceAll('\\', '/')),
  );
  const kept = names.filter((name) => name !== manifest).sort();
  return Object.fromEntries(kept.map((name) => [name, sha256(readFileSync(join(folder, name)))]));
}

/** Adds what is new. What was listed stays as it was listed, so that a change of it shows. */
export function updateManifest(): void {
  const all = Object.entries({ ...hashesOfKept(), ...readManifest() }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(folder, manifest), `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
