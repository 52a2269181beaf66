import { beforeEach, describe, expect, it } from 'vitest';
import type { OpenEffect } from '../../../../src/workflows/effects/effect-kind.js';
import { HeldEffects } from '../../../../src/workflows/effects/held-effects.js';

let pausedAt: (position: string) => boolean;
let held: HeldEffects;

beforeEach(() => {
  pausedAt = () => true;
  held = new HeldEffects((position) => pausedAt(position));
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
    pausedAt = () => false;
    held.letGo();
    expect(held.size).toBe(3);
    expect(all.every((each) => held.has(each))).toBe(true);
    expect(free()).toEqual(['0', '1', '2']);
    expect(held.size).toBe(0);
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
    pausedAt = () => false;
    held.letGo();
    expect(free()).toEqual(['1']);
    expect(held.has(remote)).toBe(true);
    held.isLeaving = false;
    expect(held.takeFreed()).toEqual([remote]);
  });

  it('are gone with their branch, also when they have been let go', () => {
    const all = [effect('0'), effect('1')];
    for (const each of all) held.take(each);
    held.drop(all[0] as OpenEffect);
    pausedAt = () => false;
    held.letGo();
    held.drop(all[1] as OpenEffect);
    expect(free()).toEqual([]);
  });
});
