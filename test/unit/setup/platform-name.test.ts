import { expect, it } from 'vitest';
import { platformName } from '../../../scripts/setup/platform-name.mjs';

it.each([
  [{ platform: 'linux', arch: 'x64' }, 'linux-x64'],
  [{ platform: 'darwin', arch: 'arm64' }, 'darwin-arm64'],
  [{ platform: 'linux', arch: 'arm64', musl: true }, 'linux-arm64-musl'],
  [{ platform: 'darwin', arch: 'x64', musl: true }, 'darwin-x64'],
])('names %j %s', (machine, name) => {
  expect(platformName(machine)).toBe(name);
});
