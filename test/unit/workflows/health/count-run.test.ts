import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunCounts } from '../../../../src/contract/health/run-counts.js';
import { metricsFlag } from '../../../../src/contract/names.js';
import { RunCounter } from '../../../../src/workflows/health/count-run.js';
import { aCheckpoint } from '../../log/checkpoint.fixture.js';

const machine = vi.hoisted(() => ({
  isReplaying: false,
  continued: undefined as string | undefined,
  told: [] as unknown[],
}));

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  proxySinks: () =>
    ({ tactusMetrics: { count: (counts: RunCounts) => void machine.told.push(counts) } }) as never,
  workflowInfo: () =>
    ({
      continuedFromExecutionRunId: machine.continued,
      unsafe: { isReplaying: machine.isReplaying },
    }) as never,
}));

beforeEach(() => {
  Object.assign(globalThis, { [metricsFlag]: true });
  Object.assign(machine, { isReplaying: false, continued: undefined, told: [] });
});
afterEach(() => void Reflect.deleteProperty(globalThis, metricsFlag));

/** A run with so many checkpoints. */
const facts = (ended: number, status: 'completed' | null = null) => ({
  procedure: 'p',
  log: Array.from({ length: ended }, (_, i) => aCheckpoint(String(i))),
  ended,
  ending: status === null ? null : { status, output: null, error: null, at: 0 },
});
const { type } = aCheckpoint('0');
const steps = (count: number) => (count === 0 ? [] : [{ type, outcome: 'ok', count }]);
const counts = (given: object) => ({ procedure: 'p', began: false, ended: null, instructions: 0, ...given });

it('counts the beginning, each checkpoint and instruction, and the end once', () => {
  const counter = new RunCounter(0);
  counter.count(facts(2), 100);
  counter.count(facts(2), 100);
  counter.count(facts(3), 150);
  counter.count(facts(3, 'completed'), 150);
  counter.count(facts(3, 'completed'), 150);
  expect(machine.told).toEqual([
    counts({ began: true, checkpoints: steps(2), instructions: 100 }),
    counts({ checkpoints: steps(1), instructions: 50 }),
    counts({ checkpoints: [], ended: 'completed' }),
  ]);
});

it('counts nothing that a replay does again, also where it goes on without a pause', () => {
  machine.isReplaying = true;
  const counter = new RunCounter(0);
  counter.count(facts(2), 100);
  counter.skipReplayed(facts(5), 400);
  machine.isReplaying = false;
  counter.skipReplayed(facts(6), 450);
  counter.count(facts(6), 450);
  expect(machine.told).toEqual([counts({ checkpoints: steps(1), instructions: 50 })]);
});

it('counts a run that continues as new neither as begun nor by what was handed over', () => {
  machine.continued = 'before';
  const counter = new RunCounter(3);
  counter.count(facts(1), 10);
  counter.count(facts(4), 30);
  expect(machine.told).toEqual([
    counts({ checkpoints: [], instructions: 10 }),
    counts({ checkpoints: steps(1), instructions: 20 }),
  ]);
});

it('counts nothing in workers without metrics', () => {
  Reflect.deleteProperty(globalThis, metricsFlag);
  const counter = new RunCounter(0);
  counter.count(facts(2), 100);
  expect(machine.told).toEqual([]);
});
