import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { testTitlesIn } from './test-titles.mjs';

/**
 * The documents in `test/requirements`, in the order of their files.
 * @param {string} project
 * @returns {import('./find-faults.mjs').Document[]}
 */
export function readRequirements(project) {
  const folder = join(project, 'test', 'requirements');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yml'))
    .sort()
    .map((name) => parse(readFileSync(join(folder, name), 'utf8')));
}

/**
 * Gives the titles of the tests in a file of the project. Each file is read once.
 * @param {string} project
 * @returns {(file: string) => string[] | undefined}
 */
export function titlesOfProject(project) {
  /** @type {Map<string, string[] | undefined>} */
  const known = new Map();
  return (file) => {
    const path = join(project, file);
    if (!known.has(file))
      known.set(file, existsSync(path) ? testTitlesIn(file, readFileSync(path, 'utf8')) : undefined);
    return known.get(file);
  };
}
