import { globSync } from 'node:fs';

/** Files of procedures in a folder and those below it, from there: `a/b.tac`. Hidden folders and packages are left out. */
export function proceduresIn(folder: string): string[] {
  return globSync('**/*.tac', {
    cwd: folder,
    exclude: (name: string) => name.startsWith('.') || name === 'node_modules',
  }).map((file) => file.replaceAll('\\', '/'));
}
