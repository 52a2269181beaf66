import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const inside = join('platform', 'cloud-firestore-emulator');

/**
 * Google's own emulator of Firestore, where the Google Cloud CLI of the machine has it: no registry carries it.
 * @returns {{ folder: string, version: string } | null}
 */
export function firestoreEmulator() {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const program = join(folder, 'gcloud');
    if (!existsSync(program)) continue;
    const root = dirname(dirname(realpathSync(program)));
    const found = join(root, inside);
    if (!existsSync(join(found, 'cloud-firestore-emulator.jar'))) continue;
    const version = join(root, 'VERSION');
    return { folder: found, version: existsSync(version) ? readFileSync(version, 'utf8').trim() : 'unknown' };
  }
  return null;
}
