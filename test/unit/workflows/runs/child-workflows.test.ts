import { beforeEach, expect, it, vi } from 'vitest';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { changesOf, newestEngine } from '../../../../src/contract/engine.js';
import type { RunLook } from '../../../../src/contract/runs/child-run.js';
import {
  ChildWorkflows,
  type ChildWorkflowsOptions,
} from '../../../../src/workflows/runs/child-workflows.js';
import { signalNames } from '../../../../src/contract/names.js';
import { nothingUsed } from '../../../../src/contract/models/model-call.js';
import type { Sequence } from '../../../../src/workflows/sequence.js';

/** Ids of children that were started, and that were asked to end. */
const started: string[] = [];
const asked: { id: string; heard: () => void }[] = [];
/** Hears what children report. */
let report: (closed: unknown) => void = () => undefined;
/** What starting a child meets; null: it begins. */
let refusal: Error | null = null;
/** What a look at a child finds. */
let look: Partial<RunLook> = {};

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  setHandler: ((signal: { name: string }, handler: (closed: unknown) => void) => {
    if (signal.name === signalNames.childClosed) report = handler;
  }) as never,
  proxyActivities: (() => ({ lookAtRuns: () => Promise.resolve([look]) })) as never,
  CancellationScope: { nonCancellable: <T>(work: () => Promise<T>) => work() } as never,
  startChild: ((_: string, { workflowId }: { workflowId: string }) => {
    started.push(workflowId);
    if (refusal !== null) return Promise.reject(refusal);
    return Promise.resolve({ firstExecutionRunId: 'first', result: () => new Promise(() => undefined) });
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
const childrenWith = (
  most: number,
  known: readonly string[] = [],
  options: Partial<ChildWorkflowsOptions> = {},
): ChildWorkflows =>
  new ChildWorkflows({
    ...{ runId: 'run', carried: { children: [...known], childOutcomes: {} }, sequence },
    ...{
      onUsage: () => undefined,
      holds: changesOf(newestEngine),
      most,
      onTakenOver: null,
    },
    ...options,
  });

beforeEach(() => {
  started.length = 0;
  asked.length = 0;
  refusal = null;
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

/** A child of a run that may have been reset, which is wanted no longer before the server has started it. */
function unwanted(options: Partial<ChildWorkflowsOptions> = {}): { known: ChildWorkflows; used: number[] } {
  const used: number[] = [];
  const known = childrenWith(2, [], {
    onUsage: ({ input_tokens }) => used.push(input_tokens),
    onTakenOver: () => undefined,
    ...options,
  });
  const never = (): void => expect.unreachable('nobody waits for it');
  known.start('0', {}, never, never);
  known.cancel('0');
  return { known, used };
}

const reports = (tokens: number, execution = 'first'): void =>
  report({
    ...{ position: '0', outcome: { ok: true, value: null }, execution },
    usage: { ...nothingUsed, input_tokens: tokens },
  });

it('a child that is wanted no longer before it begins is cancelled, forgotten, and counts once', async () => {
  const { known, used } = unwanted();
  await settled();
  expect(asked.map(({ id }) => id)).toEqual(['run/0']);
  expect([known.open, known.givenUp.haveReported]).toEqual([[], false]);
  expect(known.carried()).toEqual({ children: [], childOutcomes: {}, cancelledChildren: ['0'] });
  reports(7);
  reports(7);
  expect(used).toEqual([7]);
  expect([known.givenUp.haveReported, known.isUnsettled]).toEqual([true, true]);
  asked[0]?.heard();
  await settled();
  expect(known.isUnsettled).toBe(false);
});

it('its report may come before it is known to have begun; one of a child before a reset is none of its', async () => {
  const { known, used } = unwanted();
  reports(3, 'before the reset');
  reports(7);
  expect(used).toEqual([]);
  await settled();
  expect([used, known.givenUp.haveReported]).toEqual([[7], true]);
});

it.each([
  ['goes on', false, ['run/0'], ['run/0']],
  ['has ended', true, ['run/0'], []],
])('one of before a reset that %s is not started again', async (_how, isClosed, begins, cancels) => {
  refusal = new WorkflowExecutionAlreadyStartedError('there is one', 'run/0', 'tactus');
  look = { id: 'run/0', parent: 'run', isClosed, firstExecution: 'first', outcome: null };
  let watches = 0;
  const { known } = unwanted({ onTakenOver: () => watches++ });
  await settled();
  await settled();
  expect([started, asked.map(({ id }) => id), watches, known.open]).toEqual([begins, cancels, 0, []]);
});

it('runs on older engines go on to know it', async () => {
  const { known, used } = unwanted({ holds: changesOf(9) });
  await settled();
  reports(7);
  reports(7);
  expect([known.carried().children, used]).toEqual([['0'], [7, 7]]);
});
