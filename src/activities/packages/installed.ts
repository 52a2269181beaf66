import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TactusError } from '../../contract/errors.js';

/**
 * Says what is missing before a library is loaded that not everybody needs. `what` needs, or need, it.
 * @throws TactusError missing_package
 */
export function assertInstalled(what: string, packages: readonly string[]): void {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const command = `npm install ${missing.join(' ')}`;
  throw new TactusError('missing_package', `${what} a package that isn't installed: ${command}`, {
    package: missing[0] ?? '',
  });
}

const { resolve } = createRequire(import.meta.url);

/** Whether a package is there, without loading any of it. */
export function isInstalled(name: string): boolean {
  const folders = resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name, 'package.json')));
}
