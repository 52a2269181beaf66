import { expect, it } from 'vitest';
import { Readiness } from '../../../../src/client/health/readiness.js';

it('is not ready where a probe says why, throws or takes too long, and tells nothing of an error', async () => {
  const readiness = new Readiness(
    [
      { name: 'a', look: () => null },
      { name: 'b', look: () => 'b is behind' },
      { name: 'c', look: () => Promise.reject(new Error('postgres://me:pw@db')) },
      { name: 'd', look: () => new Promise(() => undefined) },
      {
        name: 'e',
        look: () => {
          throw new Error('at once');
        },
      },
    ],
    { deadlineMs: 20 },
  );
  expect(await readiness.report()).toEqual({
    status: 'not_ready',
    checks: [
      { name: 'a', status: 'ok', detail: null },
      { name: 'b', status: 'failed', detail: 'b is behind' },
      { name: 'c', status: 'failed', detail: 'no answer' },
      { name: 'd', status: 'failed', detail: 'no answer within 0.02 s' },
      { name: 'e', status: 'failed', detail: 'no answer' },
    ],
  });
});

it('looks once however many ask, and again later', async () => {
  let looks = 0;
  const probe = { name: 'a', look: () => (++looks > 1 ? 'gone' : null) };
  const readiness = new Readiness([probe], { keptMs: 30 });
  const reports = await Promise.all([readiness.report(), readiness.report(), readiness.report()]);
  expect(reports.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready']);
  expect(looks).toBe(1);
  await new Promise((done) => setTimeout(done, 40));
  expect((await readiness.report()).status).toBe('not_ready');
});

it('takes probes of what has begun in place of those of before, at once, and is never ready while it ends', async () => {
  const readiness = new Readiness([{ name: 'polling', look: () => 'not begun' }]);
  expect((await readiness.report()).status).toBe('not_ready');
  readiness.add([{ name: 'polling', look: () => null }]);
  expect(await readiness.report()).toEqual({
    status: 'ready',
    checks: [{ name: 'polling', status: 'ok', detail: null }],
  });
  readiness.drain();
  expect(await readiness.report()).toMatchObject({ status: 'not_ready', checks: [{}, { name: 'drain' }] });
});
