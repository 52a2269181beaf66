import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where large files are kept for all clones of one user.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function cacheFolder(env = process.env) {
  return (
    env['TACTUS_TEMPORAL_CACHE'] ||
    join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tactus-temporal')
  );
}
