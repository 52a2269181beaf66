import { describe, expect, it } from 'vitest';
import {
  changeOf,
  opening,
  RecordSteps,
  toSteps,
} from '../../../../src/client/storage/lambda/durable-context-storage.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { emptyMetadata, type ProcedureMetadata } from '../../../../src/client/storage/procedure-metadata.js';
import { entry, full } from './storage-suite/samples.js';

/** What a step of a durable execution holds at most, in bytes. */
const largestStep = 256 * 1_024;

function stepsOf(before: RecordSteps, after: ProcedureMetadata): JsonValue[] {
  const change = changeOf(before.record, after);
  return change === null ? [] : toSteps(change);
}

describe('the steps of a record', () => {
  it('hold what is new, and nothing where nothing is', () => {
    const kept = new RecordSteps();
    const take = (record: ProcedureMetadata): JsonValue[] => {
      const steps = stepsOf(kept, record);
      for (const step of steps) kept.take(step);
      const { procedure_id: _, ...rest } = record;
      expect(kept.record).toEqual(rest);
      return steps;
    };
    const long = { ...full, execution_log: Array.from({ length: 1_000 }, (_, i) => entry(i)) };
    take(long);
    expect(take(structuredClone(long))).toEqual([]);
    const longer = { ...long, execution_log: [...long.execution_log, entry(1_000)], replay_index: 2 };
    expect(take(longer)).toEqual([
      { set: { replay_index: 2 }, unset: [], kept: 1_000, entries: [entry(1_000)] },
    ]);
    expect(take({ ...longer, execution_log: [entry(0)] })).toMatchObject([{ kept: 1, entries: [] }]);
    const other = { ...emptyMetadata('run-1'), note: 'of others' } as ProcedureMetadata;
    take(other);
    expect(take(emptyMetadata('run-1'))).toMatchObject([{ set: {}, unset: ['note'] }]);
  });

  it.each(['x', '"', '\u0001', '😀', '日', '\ud800'])('of many %j have room in Lambda each', (character) => {
    const record = { ...emptyMetadata('run-1'), state: { text: character.repeat(300_000) } };
    const steps = stepsOf(new RecordSteps(), record);
    expect(steps.length).toBeGreaterThan(3);
    for (const step of steps) expect(Buffer.byteLength(JSON.stringify(step))).toBeLessThan(largestStep);
    const kept = new RecordSteps();
    for (const step of steps) kept.take(JSON.parse(JSON.stringify(step)) as JsonValue);
    expect(kept.record?.['state'] as JsonValue).toEqual(record.state);
  });

  it('of an invocation that died between them count for nothing', () => {
    const kept = new RecordSteps();
    const [small = null] = stepsOf(kept, full);
    const large = stepsOf(kept, { ...full, state: { text: 'x'.repeat(300_000) } });
    for (const step of [small, ...large.slice(0, -1), opening]) kept.take(step);
    expect(kept.record?.status).toBe(full.status);
    expect(() => kept.take(large[1] ?? null)).toThrow('a part of it is gone');
    for (const step of [...large.slice(0, 2), ...large]) kept.take(step);
    expect(kept.record?.['state']).toEqual({ text: 'x'.repeat(300_000) });
  });

  it('of a newer version of this package are not read', () => {
    expect(() => new RecordSteps().take({ version: 2 })).toThrow(
      expect.objectContaining({ code: 'usage' }) as Error,
    );
    expect(() => new RecordSteps().take({ set: {} })).toThrow('holds no change');
    expect(() => new RecordSteps().take(1)).toThrow('holds no object');
  });
});
