import { beforeEach, describe, expect, it } from 'vitest';
import type { OpenEffect } from '../../../../src/workflows/effects/effect-kind.js';
import { HeldEffects } from '../../../../src/workflows/effects/held-effects.js';

let pausedAt: (position: string) => boolean;
let isPaused: boolean;
/** Calls that a worker has found to be held, and what lets them begin. */
let calls: Map<string, () => void>;
let held: HeldEffects;

beforeEach(() => {
  isPaused = true;
  pausedAt = () => isPaused;
  calls = new Map();
  const pausing = {
    get isOn() {
      return isPaused;
    },
    holdsBack: (position: string) => pausedAt(position),
  };
  held = new HeldEffects(pausing, {
    get size() {
      return calls.size;
    },
    has: (position) => calls.has(position),
    wait: (position, _, begin) => void calls.set(position, begin),
    drop: (position) => void calls.delete(position),
  });
});

const effect = (position: string, isRemote = true): OpenEffect =>
  ({ position, definition: { isRemote } }) as unknown as OpenEffect;

const free = (): string[] => {
  const positions: string[] = [];
  for (let next = held.takeFree(); next !== undefined; next = held.takeFree()) positions.push(next.position);
  return positions;
};

describe('effects that are held', () => {
  it('by a pause begin when it is over, in the order in which they were asked', () => {
    const all = [effect('0'), effect('1', false), effect('2')];
    expect(all.map((each) => held.take(each))).toEqual([true, true, true]);
    held.letGo();
    expect(free()).toEqual([]);
    expect(held.size).toBe(3);
    isPaused = false;
    held.letGo();
    expect(held.size).toBe(0);
    expect(all.every((each) => held.has(each))).toBe(true);
    expect(free()).toEqual(['0', '1', '2']);
    expect(all.some((each) => held.has(each))).toBe(false);
  });

  it('are not those that an execution before had begun', () => {
    pausedAt = (position) => position !== '0';
    expect(held.take(effect('0'))).toBe(false);
    expect(held.take(effect('1'))).toBe(true);
  });

  it('by both begin when both let go', () => {
    held.isLeaving = true;
    const remote = effect('0');
    const other = effect('1', false);
    for (const each of [remote, other]) held.take(each);
    isPaused = false;
    held.letGo();
    expect(free()).toEqual(['1']);
    expect(held.has(remote)).toBe(true);
    held.isLeaving = false;
    expect(held.takeFreed()).toEqual([remote]);
  });

  it('by a hold begin when it lets them go', () => {
    isPaused = false;
    const hold = { id: 'h', target: 'tool:crm.*', reason: 'down', by: null, since: 0, until: null };
    const [first, gone] = [effect('0'), effect('1')] as const;
    for (const each of [first, gone]) held.waitFor(hold, each);
    expect([held.has(first), held.size]).toEqual([true, 2]);
    held.drop(gone);
    expect([held.has(gone), held.size]).toEqual([false, 1]);
    calls.get('0')?.();
    expect(free()).toEqual(['0']);
  });

  it('are gone with their branch, also when they have been let go', () => {
    const all = [effect('0'), effect('1')];
    for (const each of all) held.take(each);
    held.drop(all[0] as OpenEffect);
    isPaused = false;
    held.letGo();
    held.drop(all[1] as OpenEffect);
    expect(free()).toEqual([]);
  });
});
