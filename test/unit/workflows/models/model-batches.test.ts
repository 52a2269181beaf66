import { beforeEach, expect, it, vi } from 'vitest';
import type { OpenEffect, RunContext } from '../../../../src/workflows/effects/effect-kind.js';
import { ModelBatches } from '../../../../src/workflows/models/model-batches.js';
import { Sequence } from '../../../../src/workflows/sequence.js';
import { begun } from '../temporal-stand-in.js';

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  ...(await import('../temporal-stand-in.js')).temporal,
}));

let sequence: Sequence;

beforeEach(() => {
  begun.length = 0;
  sequence = new Sequence();
});

const arrived = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A call of a model that waits for others. */
function call(position: string): Parameters<ModelBatches['add']>[0] {
  return {
    context: { sequence } as unknown as RunContext,
    opened: { position, isOpen: true, bytes: 10 } as unknown as OpenEffect,
    call: { model: 'm', settings: {} } as never,
  };
}

const timers = (): typeof begun => begun.filter(({ name }) => name === 'timer');

/** A time to gather ends, and before its turn comes what else the run waited for is there: the calls are sent. */
async function sentAsTimeEnds(batches: ModelBatches): Promise<void> {
  batches.add(call('1'));
  expect(batches.next(2)).toBeNull();
  expect(timers()).toHaveLength(1);
  timers()[0]?.end();
  await arrived();
  expect(batches.next(1)).not.toBeNull();
  expect(batches.next(1)).toBeNull();
  for (let next = sequence.take(); next !== undefined; next = sequence.take()) next.run();
}

it('a time to gather that ends when its batch is sent says nothing of the next batch', async () => {
  const batches = new ModelBatches(true);
  await sentAsTimeEnds(batches);
  batches.add(call('2'));
  expect(batches.next(3)).toBeNull();
  expect(timers()).toHaveLength(2);
  batches.add(call('3'));
  timers()[1]?.end();
  await arrived();
  sequence.take()?.run();
  expect(batches.next(3)).toMatchObject({ bytes: 20 });
  expect(batches.next(3)).toBeNull();
});

it('of a batch that gathers already, too', async () => {
  const batches = new ModelBatches(true);
  batches.add(call('1'));
  batches.next(2);
  timers()[0]?.end();
  await arrived();
  batches.next(1);
  batches.next(1);
  batches.add(call('2'));
  expect(batches.next(3)).toBeNull();
  sequence.take()?.run();
  expect(batches.next(3)).toBeNull();
});

it('runs on older engines send the next batch as early as they did', async () => {
  const batches = new ModelBatches(false);
  await sentAsTimeEnds(batches);
  batches.add(call('2'));
  expect(batches.next(3)).not.toBeNull();
});
