import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sequence } from '../../../src/workflows/sequence.js';

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  ...(await import('./temporal-stand-in.js')).temporal,
}));

let sequence: Sequence;
let done: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: 5_000, toFake: ['Date'] });
  [sequence, done] = [new Sequence(), []];
});
afterEach(() => void vi.useRealTimers());

const add = (name: string, lasts = false): void => sequence.add(() => done.push(name), { lasts });
const arrived = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what reaches a run', () => {
  it('does nothing when it arrives', async () => {
    add('signal');
    sequence.follow(
      Promise.resolve(1),
      () => done.push('answer'),
      () => done.push('failure'),
    );
    await arrived();
    expect(done).toEqual([]);
    expect(sequence.length).toBe(2);
  });

  it('has its turn in the order in which it came, also what comes of a promise', async () => {
    add('a signal');
    const failing = Promise.reject(new Error('broken'));
    sequence.follow(
      failing,
      () => done.push('an answer'),
      (error) => done.push((error as Error).message),
    );
    await arrived();
    add('another');
    for (let event = sequence.take(); event !== undefined; event = sequence.take()) event.run();
    expect(done).toEqual(['a signal', 'broken', 'another']);
    expect(sequence.isEmpty).toBe(true);
  });

  it('keeps the time at which it came', () => {
    add('early');
    vi.setSystemTime(9_000);
    add('late');
    expect([sequence.take()?.at, sequence.take()?.at]).toEqual([5_000, 9_000]);
  });

  it('what lasts goes to the next execution in its order, the rest is asked for anew there', () => {
    add('answer');
    add('decision', true);
    add('timer');
    add('event', true);
    for (const event of sequence.takeLasting()) event.run();
    expect(done).toEqual(['decision', 'event']);
    expect(sequence.isEmpty).toBe(true);
  });
});
