import { expect, it } from 'vitest';
import { replayableInstructions } from '../../../../src/contract/runs/limits.js';
import { ReplayBudget } from '../../../../src/workflows/history/history-budget.js';

it('another execution has more time for its tasks, until there is no more', () => {
  const times = [10_000];
  let instructions = 0;
  for (; instructions < replayableInstructions; instructions += 1_000_000) {
    const budget = new ReplayBudget(times.at(-1) ?? 0, true);
    if (budget.isUsedUp(instructions)) times.push(budget.nextTaskMs(instructions) ?? 0);
  }
  expect(times).toEqual([10_000, 21_000, 43_000, 87_000, 120_000]);
});

it('is pressing at twice of what is allowed, and an execution that must go on has as much once more', () => {
  const budget = new ReplayBudget(10_000, true);
  expect(budget.isUsedUp(50_000_000)).toBe(false);
  expect(budget.isUsedUp(50_000_001)).toBe(true);
  expect(budget.isPressing(99_000_000)).toBe(false);
  expect(budget.isPressing(101_000_000)).toBe(true);
  budget.extend();
  expect(budget.isUsedUp(99_000_000)).toBe(false);
});

it('an execution that has little behind it keeps the time that it has', () => {
  expect(new ReplayBudget(10_000, true).nextTaskMs(20_000_000)).toBeNull();
  expect(new ReplayBudget(120_000, true).nextTaskMs(1_900_000_000)).toBeNull();
});

it('counts local activities, which a replay has to hear of one by one; before engine 10 it did not', () => {
  const [budget, before] = [new ReplayBudget(10_000, true), new ReplayBudget(10_000, false)];
  for (let local = 0; local < 2_000; local++) for (const each of [budget, before]) each.addLocal();
  expect(budget.isUsedUp(10_000_000)).toBe(false);
  expect(budget.isUsedUp(10_000_001)).toBe(true);
  expect(budget.isPressing(60_000_001)).toBe(true);
  expect(before.isUsedUp(50_000_000)).toBe(false);
});
