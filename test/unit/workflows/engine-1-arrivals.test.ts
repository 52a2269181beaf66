import { describe, expect, it } from 'vitest';
import { Arrivals, type Arrival } from '../../../src/workflows/engine-1/pauses.js';

function arrival(order: number): Arrival {
  return {
    request: {
      position: `${order}`,
      type: 'sleep',
      name: 'sleep',
      title: 'sleep',
      digest: '',
      source: null,
      effect: { kind: 'sleep', ms: 1 },
      bytes: 0,
      group: null,
    },
    outcome: { ok: true, value: null },
    at: 0,
    order,
    suggested: false,
  };
}

/** Takes them all. */
function takenOf(arrivals: Arrivals): number[] {
  const taken: number[] = [];
  for (let next = arrivals.take(); next !== undefined; next = arrivals.take()) taken.push(next.order);
  return taken;
}

describe('answers that have arrived', () => {
  it.each([[[2, 0, 1]], [[0, 1, 2]], [[1, 2, 0]]])(
    'as %j are taken in the order of the questions',
    (order) => {
      const arrivals = new Arrivals();
      for (const each of order) arrivals.add(arrival(each));
      expect(arrivals.isEmpty).toBe(false);
      expect(takenOf(arrivals)).toEqual([0, 1, 2]);
      expect(arrivals.isEmpty).toBe(true);
    },
  );

  it('are forgotten when nobody waits for them any longer', () => {
    const arrivals = new Arrivals();
    for (const each of [0, 1, 2]) arrivals.add(arrival(each));
    arrivals.drop('1');
    arrivals.drop('7');
    expect(takenOf(arrivals)).toEqual([0, 2]);
  });
});
