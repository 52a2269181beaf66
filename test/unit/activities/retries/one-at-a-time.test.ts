import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createQueue } from '../../../../src/activities/retries/failures.js';

const never = new AbortController().signal;

it('runs one at a time, in order of arrival', async () => {
  const queue = createQueue();
  const seen: string[] = [];
  const work = (name: string, ms: number) => () =>
    sleep(ms).then(() => {
      seen.push(name);
      return name;
    });
  const done = Promise.all([
    queue(work('a', 30), never),
    queue(work('b', 1), never),
    queue(work('c', 10), never),
  ]);
  expect(await done).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a', 'b', 'c']);
});

it('goes on after a failure', async () => {
  const queue = createQueue();
  const first = queue(() => Promise.reject(new Error('no')), never);
  const second = queue(() => Promise.resolve(2), never);
  await expect(first).rejects.toThrow('no');
  expect(await second).toBe(2);
});

it('lets one give up while it waits, and nobody pass those before', async () => {
  const queue = createQueue();
  const abort = new AbortController();
  let isFirstDone = false;
  const first = queue(() => sleep(50).then(() => (isFirstDone = true)), never);
  const second = queue(() => Promise.reject(new Error('must not run')), abort.signal);
  const third = queue(() => Promise.resolve(isFirstDone), never);
  abort.abort(new Error('given up'));
  await expect(second).rejects.toThrow('given up');
  expect(isFirstDone).toBe(false);
  expect(await third).toBe(true);
  await first;
});
