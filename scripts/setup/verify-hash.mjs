import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SetUpError } from './set-up-error.mjs';

/** @param {string} file */
export async function sha256OfFile(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/**
 * Refuses a file that is not the one that the project knows.
 * @param {string} file
 * @param {string} expected SHA-256 in hexadecimal digits
 */
export async function verifyHash(file, expected) {
  const found = await sha256OfFile(file);
  if (found === expected) return;
  throw new SetUpError(
    `${basename(file)} is not the file that this project knows: its SHA-256 is ${found}, expected ${expected}`,
    'Nothing of it was used. Try again; if it stays so, ask whoever serves your packages why the file differs.',
  );
}
