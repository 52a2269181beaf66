import { expect, it } from 'vitest';
import { inRotation, inTurns } from '../../../bench/measures/compare.ts';
import { asRow } from '../../../bench/measures/growth.ts';
import { asMarkdown, orError } from '../../../bench/measures/ways.ts';

it('begins each round with another way', async () => {
  const order: string[] = [];
  const way = (name: string) => async (): Promise<number> => order.push(name);
  const measured = await inRotation(3, { a: way('a'), b: way('b'), c: way('c') });
  expect(order.join('')).toBe('abcbcacab');
  expect(measured).toEqual({ a: [1, 6, 8], b: [2, 4, 9], c: [3, 5, 7] });
});

it('takes the medians of both', async () => {
  const figures =
    (...values: number[]) =>
    async (): Promise<number> =>
      values.shift() ?? NaN;
  expect(await inTurns(3, figures(9, 1, 2), figures(5, 8, 7))).toEqual({ ours: 2, native: 7 });
});

it('says why there is no figure, once', async () => {
  const failed = await orError(Promise.reject<number>(new Error('too many')));
  const rows = ['a', 'b'].map((what) => ({
    ...{ what, unit: 'ms', alone: 2, here: 3, aiSdk: what === 'b' ? failed : null },
  }));
  expect(
    asMarkdown([...rows, ...rows.slice(1)])
      .split('\n')
      .slice(2),
  ).toEqual([
    '| a | 2.0 ms | 3.0 ms | – | 1.50 | – |',
    '| b | 2.0 ms | 3.0 ms | – (1) | 1.50 | – |',
    '| b | 2.0 ms | 3.0 ms | – (1) | 1.50 | – |',
    '',
    '(1) too many',
  ]);
});

it('a row of growth has both costs and their ratio', () => {
  const page = { what: 'a page', unit: 'ms', small: 0.05, large: 0.2 };
  expect(asRow(page, [1_000, 100_000], 1.25)).toBe(
    '| a page | 1,000 / 100,000 | 0.050 ms | 0.200 ms | 4.00 | 1.3 |',
  );
  const memory = { what: 'memory', unit: 'MB', small: 500, large: 550 };
  expect(asRow(memory, [10, 20], 0)).toBe('| memory | 10 / 20 | 500.0 MB | 550.0 MB | 1.10 | 0.0 |');
});
