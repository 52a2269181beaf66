import { expect, it } from 'vitest';
import { AtMost } from '../../../../src/workflows/runs/child-waits.js';

/** Work that ends when it is told. */
function work() {
  const ends: { end: () => void; fail: (error: Error) => void }[] = [];
  return {
    ends,
    begin: () => new Promise<void>((end, fail) => void ends.push({ end, fail })),
  };
}

it('has so much under way, and the rest in its order, whatever comes of each', async () => {
  const { ends, begin } = work();
  const limited = new AtMost(2);
  const ended: number[] = [];
  const all = [0, 1, 2, 3].map((i) =>
    limited.run(begin).then(
      () => ended.push(i),
      () => ended.push(-i),
    ),
  );
  expect(ends).toHaveLength(2);
  ends[1]?.fail(new Error('no'));
  await all[1];
  expect(ends).toHaveLength(3);
  ends[0]?.end();
  await all[0];
  expect(ends).toHaveLength(4);
  ends[3]?.end();
  ends[2]?.end();
  await Promise.all(all);
  expect(ended).toEqual([-1, 0, 3, 2]);
});
