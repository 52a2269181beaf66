import { expect, it } from 'vitest';
import { cancellingText, cancellingView } from '../../../../src/contract/runs/cancelling.js';

const times = { since: 0, until: 300_000 };
const told = 'cancelling since 1970-01-01T00:00:00.000Z, until 1970-01-01T00:05:00.000Z at the latest; left:';

it('what is left of a cancelled run is shown by name, and bounded', () => {
  expect(cancellingText(cancellingView(times, []))).toBe(`${told} nothing`);
  expect(cancellingText(cancellingView(times, ['hotel', 'car']))).toBe(`${told} hotel, car`);
  const names = Array.from({ length: 1_000 }, (_, i) => `undo ${i}`);
  const view = cancellingView(times, names);
  expect(view).toMatchObject({ left: names.slice(0, 50), more: 950 });
  expect(cancellingText(view)).toBe(`${told} ${names.slice(0, 10).join(', ')}, 990 more`);
  expect(cancellingView(times, ['x'.repeat(5_000)]).left).toEqual(['x'.repeat(200)]);
});
