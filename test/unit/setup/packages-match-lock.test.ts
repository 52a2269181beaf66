import { expect, it } from 'vitest';
import { packagesMatchLock } from '../../../scripts/setup/packages-match-lock.mjs';

const machine = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const a = { version: '1.0.0', integrity: 'sha512-a' };
const binary = { version: '1.0.0', integrity: 'sha512-b', optional: true, os: ['linux'], cpu: ['x64'] };
const lock = {
  packages: {
    '': {},
    'node_modules/a': a,
    'node_modules/binary-glibc': { ...binary, libc: ['glibc'] },
    'node_modules/binary-musl': { ...binary, libc: ['musl'] },
    'node_modules/binary-mac': { ...binary, os: ['darwin'] },
    'node_modules/needed-by-binary-mac': { version: '1.0.0', integrity: 'sha512-d', optional: true },
  },
};
const installed = { 'node_modules/a': a, 'node_modules/binary-glibc': binary };

it('matches without the optional packages of other platforms', () => {
  expect(packagesMatchLock(lock, { packages: installed }, machine)).toBe(true);
});

it.each([
  ['a package is missing', { 'node_modules/binary-glibc': binary }],
  ['the executable for this machine is missing', { 'node_modules/a': a }],
  ['a version differs', { ...installed, 'node_modules/a': { ...a, version: '1.0.1' } }],
  ['its content differs', { ...installed, 'node_modules/a': { ...a, integrity: 'sha512-c' } }],
  ['one is there that the lock file does not know', { ...installed, 'node_modules/left-over': a }],
])('does not match when %s', (_, packages) => {
  expect(packagesMatchLock(lock, { packages }, machine)).toBe(false);
});
