import { expect, it } from 'vitest';
import { readPage, readToEnd } from '../../../src/log/pages.js';

const items = Array.from({ length: 10 }, (_, i) => 'x'.repeat(i)); // of 2 to 11 bytes as JSON

function read(
  from: number,
  maxBytes: number,
): { page: ReturnType<typeof readPage<string>>; looked: number[] } {
  const looked: number[] = [];
  const item = (i: number): string => {
    looked.push(i);
    return items[i] ?? '';
  };
  return { page: readPage(items.length, from, item, maxBytes), looked };
}

it('gives as many items as fit, and looks at no more than one behind them', () => {
  expect(read(0, 9)).toEqual({ page: { items: ['', 'x', 'xx'], next: 3 }, looked: [0, 1, 2, 3] });
});

it('gives one at least, and no cursor at the end', () => {
  expect(read(4, 1).page).toEqual({ items: ['xxxx'], next: 5 });
  expect(read(8, 100).page).toEqual({ items: items.slice(8), next: null });
  expect(read(10, 100).page).toEqual({ items: [], next: null });
  expect(read(12, 100).page).toEqual({ items: [], next: null });
});

it('is read on to the end from wherever it was left', async () => {
  const asked: number[] = [];
  const ask = async (from: number): Promise<{ page: ReturnType<typeof readPage<string>> }> => {
    asked.push(from);
    return { page: read(from, 15).page };
  };
  const { first, items: all } = await readToEnd(2, ask, ({ page }) => page);
  expect(all).toEqual(items.slice(2));
  expect(first.page.items).toEqual(all.slice(0, first.page.items.length));
  expect(asked.length).toBeGreaterThan(2);
  expect(asked[0]).toBe(2);
});
