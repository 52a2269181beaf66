import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep, win32 } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import { KeptPaths } from './kept-paths.js';
import { isConfiguration, refusedName, withoutEnd } from './refused-name.js';

/** Where a file is, or will be. */
export interface PathInside {
  /** Real path of the folder of files. */
  root: string;
  /** The names that lead from there to the file: when they were looked at, none of those that exist was a link. */
  names: string[];
}

/**
 * The real place of `path`, which begins in `folder` of `root` and can't leave it: neither by `..`, nor absolute, nor
 * through a symbolic link. The file, and directories above it, may not exist yet.
 * @param kept what no procedure may use, by absolute paths
 * @throws TactusError file_failed naming the path as it was given: with "Path traversal" in its message where it leads
 * out, else with what it is that no procedure may use
 */
export async function pathInside(
  root: string,
  folder: string,
  path: string,
  kept: readonly string[] = [],
): Promise<PathInside> {
  if (folder !== '') assertAllowed(folder);
  assertAllowed(path);
  const realRoot = await realpath(root);
  const start = folder === '' ? realRoot : await realInside(realRoot, folder);
  const real = await realInside(start, path);
  if (kept.length > 0 && (await (await KeptPaths.of(kept)).has(real, realRoot)))
    throw refused(path, 'the worker keeps it for itself');
  return { root: realRoot, names: relative(realRoot, real).split(sep).filter(Boolean) };
}

function assertAllowed(path: string): void {
  if (path === '' || path.includes('\0'))
    throw new TactusError('file_failed', `${JSON.stringify(path)} is no path of a file`, { path });
  // Windows' way of writing paths is refused everywhere: a procedure runs the same on every worker.
  if (isAbsolute(path) || win32.isAbsolute(path) || path.split(/[/\\]/).includes('..')) throw traversal(path);
  const reason = refusedName(path);
  if (reason !== null) throw refused(path, reason);
}

async function realInside(realRoot: string, path: string): Promise<string> {
  const named = resolve(realRoot, path);
  const real = await realPathOf(named);
  const below = relative(realRoot, real);
  if (below === '..' || /^\.\.[/\\]/.test(below) || isAbsolute(below)) throw traversal(path);
  const reason = refusedName(below);
  if (reason !== null) throw refused(path, `it leads over a link to another file, and there ${reason}`);
  for (const each of new Set([named, real])) {
    if (isConfiguration(each)) throw refused(path, 'it is a file of configuration');
    if (await isBesideSource(each)) throw refused(path, 'it configures the procedure beside it');
  }
  return real;
}

/** Follows links as far as the path exists; the rest is what is to be made. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), relative(dirname(path), path));
  }
}

/** Whether it is `x.yml` beside `x.tac`. */
async function isBesideSource(path: string): Promise<boolean> {
  const name = withoutEnd(basename(path));
  const stem = name.replace(/\.ya?ml$/i, '');
  if (stem === name) return false;
  return lstat(join(dirname(path), `${stem}.tac`)).then(
    () => true,
    () => false,
  );
}

function refused(path: string, reason: string): TactusError {
  return new TactusError('file_failed', `${JSON.stringify(path)} is refused: ${reason}`, { path });
}

function traversal(path: string): TactusError {
  return new TactusError(
    'file_failed',
    `Path traversal: ${JSON.stringify(path)} leaves the folder that files are kept in`,
    { path },
  );
}
