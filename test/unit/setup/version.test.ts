import { describe, expect, it } from 'vitest';
import { isAtLeast, parseVersion } from '../../../scripts/setup/version.mjs';

describe('parseVersion', () => {
  it.each([
    ['v20.20.2', [20, 20, 2]],
    ['24.0.0-nightly', [24, 0, 0]],
    ['temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', [1, 9, 1]],
    ['1.29', [1, 29, 0]],
  ])('reads %s', (text, version) => {
    expect(parseVersion(text)).toEqual(version);
  });

  it('knows when there is none', () => {
    expect(parseVersion('temporal version DEV')).toBeUndefined();
  });
});

describe('isAtLeast', () => {
  it.each([
    [[22, 12, 0], true],
    [[22, 13, 0], true],
    [[24, 0, 0], true],
    [[22, 11, 9], false],
    [[20, 20, 2], false],
    [[9, 99, 99], false],
  ] as const)('compares %j by numbers, not by text', (version, expected) => {
    expect(isAtLeast(version, [22, 12, 0])).toBe(expected);
  });
});
