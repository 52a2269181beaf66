import { describe, expect, it } from 'vitest';
import { largeProcedure } from '../../../bench/large-procedure.ts';
import { graphSource } from '../../../src/graph/index.js';
import { validateSource } from '../../../src/validation/index.js';
import { runFake } from '../../support/fake-host.js';

describe('the procedure that is measured', () => {
  it.each([20, 200, 2_000])('has %i lines, always the same, and nothing is wrong with it', (lines) => {
    const source = largeProcedure(lines);
    expect(source).toEqual(largeProcedure(lines));
    expect(source.files['large.tac']?.trimEnd().split('\n')).toHaveLength(lines);
    expect(validateSource(source).diagnostics).toEqual([]);
    expect('graph' in graphSource(source)).toBe(true);
  });

  it('does the same in any length', () => {
    for (const lines of [20, 2_000]) {
      const { ended, performed } = runFake('', { source: largeProcedure(lines), input: { n: 2 } });
      expect([ended?.kind, performed]).toEqual(['completed', ['model_predict 0', 'model_predict 1']]);
    }
  });

  it('asks its agents where it is given a message', () => {
    const { performed } = runFake('', { source: largeProcedure(200), input: { n: 1, message: 'hello' } });
    expect(performed[1]).toMatch(/^agent_turn|^model_call/);
  });
});
