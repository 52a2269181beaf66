import type { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { Readiness } from '../../../../src/client/health/readiness.js';
import { workerProbes } from '../../../../src/worker/health/worker-probes.js';

type Probed = Parameters<typeof workerProbes>[0];

const worker = (runState: string, workflows: string, activities: string): Pick<Worker, 'getStatus'> => ({
  getStatus: () =>
    ({
      runState,
      workflowPollerState: workflows,
      activityPollerState: activities,
    }) as ReturnType<Worker['getStatus']>,
});
const polling = worker('RUNNING', 'POLLING', 'SHUTDOWN');
const well: Probed = { workers: [polling], mirror: null, index: null };

/** Names of what fails, with why. */
async function failing(probed: Partial<Probed>): Promise<Record<string, string | null>> {
  const { checks } = await new Readiness(workerProbes({ ...well, ...probed }, 60_000)).report();
  return Object.fromEntries(
    checks.flatMap(({ name, status, detail }) => (status === 'ok' ? [] : [[name, detail]])),
  );
}

const ago = (ms: number): number => Date.now() - ms;
const standing = (unwritten: number, toldAt: number | null, reach = Promise.resolve()): Probed['mirror'] => ({
  standing: () => ({ unwritten, toldAt }),
  reach: () => reach,
});

it('a worker that takes no tasks makes it fail', async () => {
  expect(await failing({})).toEqual({});
  for (const other of [worker('INITIALIZED', 'POLLING', 'POLLING'), worker('RUNNING', 'FAILED', 'FAILED')])
    expect(await failing({ workers: [polling, other] })).toEqual({ polling: '1 of 2 workers take no tasks' });
});

it('so does a mirror or an index that is far behind, or a storage that no longer answers', async () => {
  expect(await failing({ mirror: standing(3, ago(1_000)), index: { toldAt: ago(1_000) } })).toEqual({});
  expect(await failing({ mirror: standing(3, ago(90_000)), index: { toldAt: ago(120_000) } })).toEqual({
    mirror: 'the mirror is 90 s behind what runs have told',
    index: 'the index is 120 s behind what runs have told',
  });
  // Given up, until the storage is back.
  const away = Promise.reject(new Error('postgres://me:pw@db is away'));
  away.catch(() => undefined);
  expect(await failing({ mirror: standing(3, null, away) })).toEqual({ mirror: 'no answer' });
  expect(await failing({ mirror: standing(3, null) })).toEqual({});
  expect(await failing({ mirror: standing(0, null, away), index: { toldAt: null } })).toEqual({});
});
