import { afterEach, expect, it, vi } from 'vitest';
import type { ToldRun } from '../../../src/contract/runs/run-view.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import type { RunIndex, ServerRun } from '../../../src/read-model/run-index.js';
import { lostFeeders } from '../../../src/client/lists/reconcile-index.js';
import { IndexFeeder, type IndexFeederOptions } from '../../../src/worker/storage/mirror/index-feeder.js';
import { aRequest, aServerRun, aToldRun, lastAnswersOf } from '../../support/told-run.js';

let index: RunIndex;
afterEach(() => index.close());

async function feeder(options: Partial<IndexFeederOptions> = {}): Promise<IndexFeeder> {
  index = await openRunIndex(':memory:');
  return new IndexFeeder(index, {
    ...{ look: async () => null, claim: async () => undefined, onError: () => undefined },
    pack: async (execution, { status }) => ({
      ...{ run_id: status.run_id, execution, version: '', packed: JSON.stringify(status.output) },
    }),
    ...{ gatherMs: 1, retryMs: [1] },
    ...options,
  });
}

it('writes the newest of what comes in quick succession, once, with what was asked before', async () => {
  const fed = await feeder({ gatherMs: 20 });
  const write = vi.spyOn(index, 'write');
  fed.tell(aToldRun('r', 3, { pending: [aRequest('r', '0')] }));
  for (let n = 4; n < 50; n++) fed.tell(aToldRun('r', n, { pending: null }));
  await fed.flush(5_000);
  expect(write.mock.calls.filter(([changes]) => changes.length > 0)).toHaveLength(1);
  expect(await index.find(['r'])).toMatchObject([{ checkpoints: 49 }]);
  expect((await index.requests({ limit: 9 })).items).toHaveLength(1);
});

it('tries for as long as it takes, and writes what came meanwhile', async () => {
  const errors: unknown[] = [];
  const fed = await feeder({ onError: (_runId, error) => errors.push(error) });
  const write = vi.spyOn(index, 'write');
  for (let i = 0; i < 7; i++) write.mockRejectedValueOnce(new Error('away'));
  fed.tell(aToldRun('r', 3, { pending: [aRequest('r', '0')] }));
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(3));
  fed.tell(aToldRun('r', 5, { pending: null }));
  await fed.flush(5_000);
  expect(errors).toHaveLength(7);
  expect(await index.find(['r'])).toMatchObject([{ checkpoints: 5 }]);
  expect((await index.requests({ limit: 9 })).items).toHaveLength(1);
});

it("closes a run when the server says so, and not on the run's word", async () => {
  let known: ServerRun & { error: null } = { ...aServerRun('r'), error: null };
  const fed = await feeder({ look: async () => known });
  fed.tell(aToldRun('r', 9, { status: 'completed' } satisfies Partial<ToldRun>));
  await vi.waitFor(async () => expect(await index.find(['r'])).toMatchObject([{ isFinal: false }]));
  known = { ...known, status: 'completed', closed_at: '2026-01-02T00:00:00.000Z' };
  await fed.flush(5_000);
  expect(await index.find(['r'])).toMatchObject([{ isFinal: true, closed_at: '2026-01-02T00:00:00.000Z' }]);
});

it('leaves when all is written, and else is found to be lost when it is gone', async () => {
  const whole = await feeder();
  whole.tell(aToldRun('r', 3));
  await whole.flush(5_000);
  expect(await index.feeders()).toHaveLength(1);
  expect(await lostFeeders(index)).toEqual([]);
  await whole.settle();
  expect(await index.feeders()).toEqual([]);
  const self = { id: 'other', host: (await import('node:os')).hostname(), pid: 2 ** 22 + 1 };
  await index.enter({ ...self, seenAt: Date.now() });
  await index.enter({ id: 'elsewhere', host: 'elsewhere', pid: 1, seenAt: Date.now() });
  await index.enter({ id: 'silent', host: 'elsewhere', pid: 1, seenAt: Date.now() - 600_000 });
  expect(await lostFeeders(index)).toEqual(['other', 'silent']);
});

it('is known to write before anything is told, and waits for no index that is away', async () => {
  const fed = await feeder();
  await fed.begin();
  expect(await index.feeders()).toHaveLength(1);
  await fed.settle();
  expect(await index.feeders()).toEqual([]);
  await index.close();

  const errors: unknown[] = [];
  const late = await feeder({ onError: (_runId, error) => errors.push(error) });
  vi.spyOn(index, 'enter').mockRejectedValueOnce(new Error('away'));
  await late.begin();
  expect([errors.length, await index.feeders()]).toEqual([1, []]);
  late.tell(aToldRun('r', 3));
  await late.flush(5_000);
  expect(await index.feeders()).toHaveLength(1);
});

/** What the server says of a run. */
const ended = async (runId: string): Promise<ServerRun & { error: null }> => ({
  ...aServerRun(runId, { status: 'completed', closed_at: '2026-01-02T00:00:00.000Z' }),
  error: null,
});

it('keeps what a run answers last, whatever it tells after that', async () => {
  const fed = await feeder({ gatherMs: 20, look: ended });
  fed.tell(aToldRun('r', 9, { status: 'completed' }), { execution: 'e1', answers: lastAnswersOf('r', 9) });
  fed.tell(aToldRun('r', 10, { status: 'completed' }));
  await fed.settle();
  expect(await index.answers('r', 'e1')).toBe('{"n":9}');
});

it('tells what a run told where its answers can not be packed, or are too large', async () => {
  const errors: string[] = [];
  const fed = await feeder({
    look: ended,
    onError: (runId) => errors.push(runId),
    pack: async (_execution, { status }) => {
      if (status.run_id === 'large') return null;
      throw new Error('no key');
    },
  });
  for (const id of ['r', 'large'])
    fed.tell(aToldRun(id, 9, { status: 'completed' }), { execution: 'e1', answers: lastAnswersOf(id, 9) });
  await fed.settle();
  expect(errors).toEqual(['r']);
  expect((await index.find(['r', 'large'])).map(({ checkpoints }) => checkpoints)).toEqual([9, 9]);
  expect([await index.answers('r', 'e1'), await index.answers('large', 'e1')]).toEqual([null, null]);
});
