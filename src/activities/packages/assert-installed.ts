import { TactusError } from '../../contract/errors.js';
import { isInstalled } from './is-installed.js';

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
