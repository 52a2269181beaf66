import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, win32 } from 'node:path';
import { TactusError } from '../contract/errors.js';

/**
 * The real path of `path` within `root`, which it can't leave: neither by `..`, nor absolute, nor through a symbolic
 * link. The file, and directories above it, may not exist yet.
 * @throws TactusError file_failed with "Path traversal" in its message, naming the path as it was given
 */
export async function pathInside(root: string, path: string): Promise<string> {
  if (path === '' || path.includes('\0'))
    throw new TactusError('file_failed', `${JSON.stringify(path)} is no path of a file`, { path });
  // Windows' way of writing paths is refused everywhere: a procedure runs the same on every worker.
  if (isAbsolute(path) || win32.isAbsolute(path) || path.split(/[/\\]/).includes('..')) throw traversal(path);
  const realRoot = await realpath(root);
  const real = await realPathOf(resolve(realRoot, path));
  const fromRoot = relative(realRoot, real);
  if (fromRoot === '..' || /^\.\.[/\\]/.test(fromRoot) || isAbsolute(fromRoot)) throw traversal(path);
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

function traversal(path: string): TactusError {
  return new TactusError(
    'file_failed',
    `Path traversal: ${JSON.stringify(path)} leaves the directory that files are kept in`,
    { path },
  );
}
