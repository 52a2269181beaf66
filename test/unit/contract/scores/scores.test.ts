import { describe, expect, it } from 'vitest';
import { estimate } from '../../../../src/contract/scores/estimate.js';
import { drawn, variantFor } from '../../../../src/contract/scores/experiment.js';
import {
  mostScores,
  readScoreOrder,
  scoresView,
  withScore,
  type Score,
  type ScoreRecord,
} from '../../../../src/contract/scores/score.js';

const score = (name: string, value: number, by: string | null = null): Score => ({
  ...{ name, value, by, comment: null, at: '2026-01-01T00:00:00.000Z' },
});

describe('the scores of a run', () => {
  it('are the newest of each name and person, and earlier ones beside', () => {
    const all = [score('q', 1, 'ann'), score('q', 2, 'bob'), score('r', 3, 'ann'), score('q', 4, 'ann')];
    const { scores, earlier } = scoresView({ run_id: 'r', scores: all });
    expect(scores.map(({ value }) => value)).toEqual([2, 3, 4]);
    expect(earlier.map(({ value }) => value)).toEqual([1]);
  });

  it('drop the oldest that does not hold any more where there is no room, and refuse one more where all hold', () => {
    let record: ScoreRecord = { run_id: 'r', scores: [] };
    for (let i = 0; i < mostScores - 1; i++) record = withScore(record, score(`n${i}`, i));
    record = withScore(record, score('n5', 1_000));
    expect(record.scores).toHaveLength(mostScores);
    record = withScore(record, score('n6', 1_001));
    expect(record.scores).toHaveLength(mostScores);
    expect(scoresView(record).earlier.map(({ value }) => value)).toEqual([6]);
    record = withScore(record, score('last', 1));
    expect(() => withScore(record, score('more', 1))).toThrow('at most 200 scores');
  });

  it.each([
    [null, 'one JSON object'],
    [{ name: 'no name', value: 1 }, 'its name'],
    [{ name: 'q'.repeat(64), value: 1 }, 'its name'],
    [{ name: 'q', value: '1' }, 'its value'],
    [{ name: 'q', value: null }, 'its value'],
    [{ name: 'q', value: 1, by: '' }, 'who gives it'],
    [{ name: 'q', value: 1, comment: 'x'.repeat(1_001) }, 'its comment'],
  ])('%j is none', (order, message) => expect(() => readScoreOrder(order)).toThrow(message));
});

describe('an estimate', () => {
  it('is the mean with the interval of Student', () => {
    // By hand: mean 3, deviation 1.5811, 2.7764 × 1.5811 / √5.
    const found = estimate([1, 2, 3, 4, 5]);
    expect(found).toMatchObject({ count: 5, mean: 3 });
    expect(found?.low).toBeCloseTo(1.0368, 3);
    expect(found?.high).toBeCloseTo(4.9632, 3);
  });

  it('has the quantiles of the tables where it calculates them', () => {
    // 2.2010 for 11 degrees of freedom, 2.0423 for 30: half the interval over the standard error.
    for (const [freedom, quantile] of [
      [11, 2.201],
      [30, 2.0423],
      [120, 1.9799],
    ] as const) {
      const values = Array.from({ length: freedom + 1 }, (_, i) => i % 7);
      const { mean = 0, high = 0 } = estimate(values) ?? {};
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / freedom;
      expect(((high ?? 0) - mean) / Math.sqrt(variance / values.length)).toBeCloseTo(quantile, 3);
    }
  });

  it('of yes and no is the interval of Wilson', () => {
    // 9 of 10: 0.5958 to 0.9821 (Newcombe 1998 has the method).
    const found = estimate([1, 1, 1, 1, 1, 1, 1, 1, 1, 0], true);
    expect(found?.low).toBeCloseTo(0.5958, 3);
    expect(found?.high).toBeCloseTo(0.9821, 3);
    expect(estimate([1], true)).toMatchObject({ mean: 1, high: 1 });
  });

  it('of one number has no interval, and of none is nothing', () => {
    expect(estimate([4])).toEqual({ count: 1, mean: 4, low: null, high: null });
    expect(estimate([])).toBeNull();
  });
});

describe('variants', () => {
  const runs = Array.from({ length: 4_000 }, (_, i) => `run-${i}`);
  const share = (experiment: string, weights: Record<string, number>, of: string): number =>
    runs.filter((run) => variantFor(experiment, run, weights) === of).length / runs.length;

  it('follow from the run and the experiment alone, whatever the order', () => {
    for (const run of runs.slice(0, 100))
      expect(variantFor('tone', run, { a: 1, b: 2 })).toBe(variantFor('tone', run, { b: 2, a: 1 }));
  });

  it('come as often as their weights say, and experiments do not go together', () => {
    expect(share('tone', { a: 1, b: 1 }, 'a')).toBeCloseTo(0.5, 1);
    expect(share('tone', { a: 9, b: 1 }, 'b')).toBeCloseTo(0.1, 1);
    const both = runs.filter(
      (run) =>
        variantFor('one', run, { a: 1, b: 1 }) === 'a' && variantFor('two', run, { a: 1, b: 1 }) === 'a',
    );
    expect(both.length / runs.length).toBeCloseTo(0.25, 1);
  });

  it('have a draw from 0 up to 1', () => {
    const draws = runs.map(drawn);
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
  });
});
