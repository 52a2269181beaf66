import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files below these folders, by their paths. */
export function filesBelow(...folders: string[]): Map<string, Buffer> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name)),
  );
  return new Map(files.map((file) => [file, readFileSync(file)]));
}

/** Whether these bytes have a word, as it is or in base64, whatever it is aligned to. */
export function hasWord(bytes: Buffer, word: string): boolean {
  const shifted = ['', 'x', 'xx'].map((shift) =>
    Buffer.from(shift + word)
      .toString('base64')
      .slice(4, -4),
  );
  return [word, ...shifted].some((each) => bytes.includes(each));
}
