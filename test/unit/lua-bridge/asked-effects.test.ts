import { expect, it } from 'vitest';
import type { EffectRequest } from '../../../src/contract/checkpoints/checkpoint.js';
import { ExecutionLog } from '../../../src/log/execution-log.js';
import { AskedEffects } from '../../../src/lua-bridge/asked-effects.js';

const requestAt = (position: string): EffectRequest =>
  ({
    ...{ position, type: 'sleep', name: 'sleep', digest: 'd', source: null },
    effect: { kind: 'sleep', ms: 1_000 },
  }) as unknown as EffectRequest;

const log = new ExecutionLog(
  [],
  () => false,
  () => {},
);

it('when an effect was asked for is known until it has its answer or was given up', () => {
  const pending = new Map<string, EffectRequest>();
  const asked = new AskedEffects(pending, 2, null);
  for (const position of ['0', '1', '2']) {
    pending.set(position, requestAt(position));
    asked.ask(requestAt(position), 1_000, log);
  }
  expect(asked.handOut().map(({ position }) => position)).toEqual(['0', '1']);
  const checkpoint = asked.toCheckpoint({ position: '0', outcome: { ok: true, value: null }, at: 1_500 }, 0);
  expect(checkpoint).toMatchObject({ position: '0', at: 1_500, durationMs: 500 });
  expect(asked.close('0')).toBe(true);
  expect(asked.askedAt('0')).toBeUndefined();
  // Given up before the host was asked for it.
  pending.delete('2');
  expect(asked.close('2')).toBe(false);
  expect(asked.askedAt('2')).toBeUndefined();
  expect(asked.askedAt('1')).toBe(1_000);
  expect(asked.handOut()).toEqual([]);
});
