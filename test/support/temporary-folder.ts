import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

// Registered when a test file imports this, so it comes after all that the file itself does at its end.
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A new folder, gone when the tests of the file have ended. */
export function temporaryFolder(name: string, within = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(within, `tactus-${name}-`)));
  made.push(folder);
  return folder;
}
