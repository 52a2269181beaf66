import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../../src/testing/specifications/run-scenario.js';
import type { Facts } from '../../../../src/testing/specifications/step-definition.js';
import { nothingObserved } from '../../../../src/contract/specifications/scenario.js';

function facts(more: Partial<Facts> = {}): Facts {
  return {
    status: 'completed',
    input: {},
    output: { a: 1, b: 2 },
    state: {},
    error: null,
    log: [],
    printed: [],
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    observed: nothingObserved(),
    ...more,
  };
}

const failed = { code: 'lua_error', message: 'no luck', file: 'main.tac', line: 3, traceback: null } as const;

describe('a second run', () => {
  it('is the same whatever the order of keys, and whatever it used', () => {
    const usage = { input_tokens: 9, output_tokens: 9, cost_usd: 1 };
    expect(compareRuns(facts(), facts({ output: { b: 2, a: 1 }, usage }))).toBeNull();
    const both = { status: 'failed', output: null, error: failed } as const;
    expect(compareRuns(facts(both), facts(both))).toBeNull();
  });

  it.each([
    [
      { status: 'failed', output: null, error: { ...failed, code: 'non_determinism' } },
      'main.tac:3: no luck',
    ],
    [
      { status: 'failed', output: null, error: failed },
      'the end: the first time "completed"; the second time "failed: main.tac:3: no luck"',
    ],
    [{ output: 7 }, 'the output: the first time {"a":1,"b":2}; the second time 7'],
    [{ state: { n: 1 } }, 'the state: the first time {}; the second time {"n":1}'],
  ] as [Partial<Facts>, string][])('differs in %o', (more, message) => {
    expect(compareRuns(facts(), facts(more))).toBe(message);
  });
});
