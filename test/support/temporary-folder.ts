import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** Removes all folders that were made since it was called last. */
export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A new folder, gone when the tests of the file have ended. */
export function temporaryFolder(name: string, within = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(within, `tactus-${name}-`)));
  made.push(folder);
  return folder;
}
