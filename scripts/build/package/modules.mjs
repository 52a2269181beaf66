import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/**
 * @typedef {object} Module a compiled file
 * @property {string} code
 * @property {string[]} imports modules that are loaded with it
 * @property {string[]} loads modules that it loads when it needs them
 * @property {string[]} labels what nobody is to load for nothing: packages that it imports (all modules of Node are one), its room
 * (the first folder of its path), and its own path, where it does something when it is loaded
 */

/**
 * @param {string} path
 * @param {string} code
 * @param {{ imports: string[], loads: string[], packages: string[], acts: boolean }} found
 * @returns {Module}
 */
export function moduleOf(path, code, { imports, loads, packages, acts }) {
  const labels = [path.replace(/\/.*/, '/'), ...packages.map(packageOf), ...(acts ? [path] : [])];
  return { code, imports, loads, labels };
}

/**
 * Finds the modules that are used by their paths, and must keep them: those that nobody imports (entries of the package, threads,
 * processes, what bundlers are given), and those whose path another module names.
 * @param {Map<string, Module>} modules by path
 */
export function findEntries(modules) {
  const imported = new Set([...modules.values()].flatMap(({ imports, loads }) => [...imports, ...loads]));
  /** @type {Set<string>} */
  const entries = new Set();
  for (const [path, { code }] of modules) {
    // Modules of types alone are compiled to nothing.
    if (!imported.has(path) && !/^\s*(\/\/.*)?\s*$/.test(code)) entries.add(path);
    for (const named of namedPaths(code))
      for (const place of [named, posix.join(posix.dirname(path), named)])
        if (modules.has(place)) entries.add(place);
  }
  return [...entries].sort();
}

/**
 * Paths in a text of code that are no imports, in one literal or in several: `join(folder, 'workflows', 'index.js')`.
 * @param {string} code
 */
function namedPaths(code) {
  const found = code.matchAll(/((?:["'][\w-]+["'], )*)["'](\w[\w./-]*\.js)["']/g);
  return [...found].map(([, folders = '', file = '']) => folders.replace(/["'](.+?)["'], /g, '$1/') + file);
}

/** @param {string} path as it stands in an import */
function packageOf(path) {
  if (isBuiltin(path)) return 'node:';
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}
