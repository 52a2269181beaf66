import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../src/contract/checkpoints/checkpoint.js';
import type { Asked } from '../../../src/log/compare.js';
import { ExecutionLog } from '../../../src/log/execution-log.js';
import { aCheckpoint } from './checkpoint.fixture.js';

const log = (carried: Checkpoint[] = [], awaited: string[] = []): ExecutionLog =>
  new ExecutionLog(
    carried,
    (position) => awaited.includes(position),
    () => undefined,
  );

function asked(position: string, digest: string, versions: Record<number, string> = {}): Asked {
  const { type, name } = aCheckpoint(position);
  const compared = (): ReturnType<Asked['compared']> => ({ data: digest, settings: {} });
  const identify = (version: number): string => versions[version] ?? 'unknown';
  return { position, type, name, digest, identify, isFrame: false, compared };
}

describe('a log', () => {
  it('has what was added, in the order in which it ended', () => {
    const grown = log();
    for (const position of ['1', '0', '2']) grown.append(aCheckpoint(position));
    expect(grown.entries.map(({ position }) => position)).toEqual(['1', '0', '2']);
    expect([grown.ended, grown.isReplaying, grown.next]).toEqual([3, false, null]);
    expect(grown.find('0')).toEqual(aCheckpoint('0'));
  });

  it('that is carried answers in its order, with what was recorded', () => {
    const recorded = [aCheckpoint('0', { outcome: { ok: true, value: 'then' } }), aCheckpoint('1')];
    const carried = log(recorded);
    expect([carried.ended, carried.next?.position, carried.find('0')]).toEqual([0, '0', null]);
    expect(carried.append(aCheckpoint('0', { outcome: { ok: true, value: 'now' } }))).toBe(recorded[0]);
    expect([carried.ended, carried.find('0'), carried.next?.position]).toEqual([1, recorded[0], '1']);
    expect(() => carried.append(aCheckpoint('2'))).toThrow(/recorded is file 'read x' at 1.*at 2/);
  });

  it('takes a frame before answers that were handed over and not looked at', () => {
    const carried = log([aCheckpoint('0.0.0')], ['0.0.0']);
    carried.append(aCheckpoint('0', { type: 'parallel' }));
    expect(carried.entries.map(({ position }) => position)).toEqual(['0', '0.0.0']);
    expect([carried.ended, carried.next?.position]).toEqual([1, '0.0.0']);
  });

  it('compares what is asked for in the version that was recorded', () => {
    const carried = log([aCheckpoint('0', { digest: 'first' }), aCheckpoint('1', { digest: '2:second' })]);
    const check = (each: Asked): void => carried.check(each, null, () => null);
    check(asked('0', '2:else', { 1: 'first' }));
    check(asked('1', 'else', { 2: '2:second' }));
    check(asked('7', 'whatever'));
    expect(() => check(asked('0', '2:first', { 1: 'other' }))).toThrow(
      expect.objectContaining({
        code: 'non_determinism',
        details: expect.objectContaining({
          expected: expect.objectContaining({ digest: 'first' }) as unknown,
          found: expect.objectContaining({ digest: 'other' }) as unknown,
        }) as unknown,
      }) as Error,
    );
  });
});
