import { describe, expect, it } from 'vitest';
import { Program } from '../../../../src/lua-bridge/index.js';
import { defaultLimits } from '../../../../src/contract/runs/limits.js';
import { outputOf } from '../../../support/fake-host.js';

const numbers =
  'return {math.random(), math.random(100), math.random(-5, 5), math.random(0), math.random(1e15 // 1)}';

function seeded(seed: string): unknown {
  const source = { entry: 'main.tac', files: { 'main.tac': numbers } };
  const turn = new Program({
    source,
    input: {},
    runId: 'run',
    startedAt: 0,
    seed,
    limits: defaultLimits,
    carried: [],
  }).turn();
  return turn.kind === 'completed' ? turn.output : turn;
}

describe('math.random', () => {
  it('depends on the seed of the run alone', () => {
    expect(seeded('a')).toEqual(seeded('a'));
    expect(seeded('a')).not.toEqual(seeded('b'));
  });

  it('keeps to its interval', () => {
    const source = `
      local low, high, floats = 9, 0, true
      for _ = 1, 2000 do
        local n, f = math.random(3, 7), math.random()
        low, high = math.min(low, n), math.max(high, n)
        floats = floats and f >= 0 and f < 1
      end
      return {low, high, floats, math.type(math.random(5)), math.type(math.random())}`;
    expect(outputOf(source)).toEqual([3, 7, true, 'integer', 'float']);
  });

  it('starts anew with randomseed, in this run only', () => {
    const twice =
      'math.randomseed(7) local a = math.random(1000000) math.randomseed(7) return a == math.random(1000000)';
    expect(outputOf(twice)).toBe(true);
    expect(outputOf('return math.random(1000000)')).toBe(outputOf('return math.random(1000000)'));
    expect(outputOf('math.randomseed() return math.random(1000000)')).toBe(
      outputOf('math.randomseed() return math.random(1000000)'),
    );
  });

  it.each([
    ['math.random(0.5)', 'no integer representation'],
    ['math.random(5, 1)', 'interval is empty'],
    ['math.random(1, 2, 3)', 'wrong number of arguments'],
  ])('%s is an error', (call, message) => expect(() => outputOf(`return ${call}`)).toThrow(message));
});
