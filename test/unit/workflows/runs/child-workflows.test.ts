import { beforeEach, expect, it, vi } from 'vitest';
import { ChildWorkflows } from '../../../../src/workflows/runs/child-workflows.js';
import type { Sequence } from '../../../../src/workflows/sequence.js';

/** Ids of children that were started, and that were asked to end. */
const started: string[] = [];
const asked: { id: string; heard: () => void }[] = [];

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  setHandler: () => undefined,
  CancellationScope: { nonCancellable: <T>(work: () => Promise<T>) => work() } as never,
  startChild: ((_: string, { workflowId }: { workflowId: string }) => {
    started.push(workflowId);
    return Promise.resolve({ result: () => new Promise(() => undefined) });
  }) as never,
  getExternalWorkflowHandle: ((id: string) => ({
    cancel: () => new Promise<void>((heard) => asked.push({ id, heard })),
  })) as never,
}));

const sequence = {
  follow: <T>(promise: Promise<T>, kept: (value: T) => void, broken: (error: unknown) => void) =>
    void promise.then(kept, broken),
  add: (run: () => void) => run(),
} as unknown as Sequence;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const childrenWith = (most: number, known: readonly string[] = []): ChildWorkflows =>
  new ChildWorkflows({
    ...{ runId: 'run', carried: { children: [...known], childOutcomes: {} }, sequence },
    ...{ onUsage: () => undefined, tellsUsage: true, most, onTakenOver: null },
  });

beforeEach(() => {
  started.length = 0;
  asked.length = 0;
});

it('more children than the server has room for are left to the next execution', async () => {
  const known = childrenWith(3);
  for (let i = 0; i < 5; i++)
    known.start(
      `${i}`,
      {},
      () => undefined,
      () => undefined,
    );
  await settled();
  expect(started).toEqual(['run/0', 'run/1', 'run/2']);
  expect(known.places.isFull).toBe(true);
  expect(known.isUnsettled).toBe(false);
  expect(known.carried().children).toEqual(['0', '1', '2']);
  // Nobody waits for them any longer.
  known.cancel('3');
  known.cancel('4');
  expect(known.places.isFull).toBe(false);
});

it('requests to end are sent in parts', async () => {
  const known = childrenWith(2);
  const before = childrenWith(2, ['0', '1', '2', '3', '4']);
  expect(known.isEmpty).toBe(true);
  const all = before.cancelAll();
  await settled();
  expect(asked.map(({ id }) => id)).toEqual(['run/0', 'run/1']);
  asked[0]?.heard();
  await settled();
  expect(asked).toHaveLength(3);
  for (let i = 1; i < 5; i++) {
    asked[i]?.heard();
    await settled();
  }
  await all;
  expect(asked.map(({ id }) => id)).toEqual(['run/0', 'run/1', 'run/2', 'run/3', 'run/4']);
});
