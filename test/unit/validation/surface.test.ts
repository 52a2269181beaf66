import { describe, expect, it } from 'vitest';
import { outputOf } from '../../support/fake-host.js';
import { missingNames } from '../../support/missing-names.js';
import { surface } from '../../../src/language/surface.js';
import { foreignNames } from '../../../src/validation/program/global-names.js';

/** What a run finds in its table of globals. */
function globalsOfTheBridge(): string[] {
  const text = 'local names = {} for name in pairs(_G) do names[#names + 1] = name end return names';
  return outputOf(text) as string[];
}

describe('the surface', () => {
  it('has every global that a run has', () => {
    expect(globalsOfTheBridge().filter((name) => !Object.hasOwn(surface, name))).toEqual([]);
  });

  it('has no name that is called foreign', () => {
    expect(Object.keys(foreignNames).filter((name) => Object.hasOwn(surface, name))).toEqual([]);
  });

  it('has no name that a run lacks', () => {
    expect([...missingNames()]).toEqual([]);
  });
});
