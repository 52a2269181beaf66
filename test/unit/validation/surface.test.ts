import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/contract/limits.js';
import { Program } from '../../../src/lua-bridge/index.js';
import { missingNames } from '../../support/missing-names.js';
import { surface } from '../../../src/language/surface.js';
import { foreignNames } from '../../../src/validation/foreign-names.js';

/** What a run finds in its table of globals. */
function globalsOfTheBridge(): string[] {
  const text = 'local names = {} for name in pairs(_G) do names[#names + 1] = name end return names';
  const program = new Program({
    source: { entry: 'main.tac', files: { 'main.tac': text } },
    input: {},
    runId: 'test',
    startedAt: 0,
    seed: 'test',
    limits: defaultLimits,
    carried: [],
  });
  const turn = program.turn();
  if (turn.kind !== 'completed') throw new Error(turn.kind);
  return turn.output as string[];
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
