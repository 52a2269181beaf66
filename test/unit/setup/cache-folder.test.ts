import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from '../../../scripts/setup/cache-folder.mjs';

it.each([
  [{}, join(homedir(), '.cache', 'tactus-temporal')],
  [{ XDG_CACHE_HOME: '/var/cache' }, '/var/cache/tactus-temporal'],
  [{ XDG_CACHE_HOME: '/var/cache', TACTUS_TEMPORAL_CACHE: '/big/disk' }, '/big/disk'],
  [{ TACTUS_TEMPORAL_CACHE: '' }, join(homedir(), '.cache', 'tactus-temporal')],
])('with %j is %s', (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});
