import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { NewerVersionError } from '../../../src/contract/engine.js';
import { jsonSize, type JsonValue } from '../../../src/contract/json/json.js';
import { packCarried, packLog, unpackLog } from '../../../src/log/pack.js';
import { aCheckpoint } from './checkpoint.fixture.js';

const log = [aCheckpoint('0'), aCheckpoint('1')];
const packed = (value: unknown): Uint8Array => gzipSync(JSON.stringify(value));

describe('a packed log', () => {
  it('comes out as it went in, in the form of either engine', () => {
    expect(unpackLog(packLog(log))).toEqual(log);
    expect(unpackLog(packCarried(log))).toEqual(log);
  });

  it('of a run of 0.1.0 is a plain list, and is read as one', () => {
    expect(unpackLog(packed(log))).toEqual(log);
    expect([...packLog(log)]).toEqual([...packLog(unpackLog(packed(log)))]);
  });

  it('is none where it is anything else', () => {
    for (const other of [null, 5, 'text', {}, { entries: [] }])
      expect(() => unpackLog(packed(other))).toThrow(expect.objectContaining({ code: 'usage' }) as Error);
    expect(() => unpackLog('text')).toThrow(/no packed log/);
  });

  it('of a newer version fails the workflow task, not the run', () => {
    expect(() => unpackLog(packed({ version: 9, somewhere: 'else' }))).toThrow(NewerVersionError);
  });
});

describe('a log that is handed over', () => {
  const inputOf = (input: JsonValue): JsonValue =>
    unpackLog(packCarried([aCheckpoint('0', { input, outcome: { ok: true, value: 'x'.repeat(9_000) } })]))[0]
      ?.input ?? null;

  it('has all results, and what was asked where that is short', () => {
    const short = { message: 'x'.repeat(1_900), n: 1 };
    expect(inputOf(short)).toEqual(short);
    const [entry] = unpackLog(
      packCarried([aCheckpoint('0', { outcome: { ok: true, value: 'x'.repeat(9_000) } })]),
    );
    expect(entry?.outcome).toEqual({ ok: true, value: 'x'.repeat(9_000) });
  });

  it('has what was asked cut where it is long', () => {
    const long = {
      method: 'POST',
      body: 'x'.repeat(9_000),
      json: [1, 'y'.repeat(9_000)],
      ['__proto__']: { n: 1 },
    };
    expect(inputOf(long)).toEqual({
      method: 'POST',
      body: `${'x'.repeat(500)}… (cut)`,
      json: { note: '9006 bytes, left out when the run continued as new' },
      ['__proto__']: { n: 1 },
    });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, 'x'.repeat(400)]));
    expect(jsonSize(inputOf(many))).toBeLessThan(100);
    expect(inputOf('x'.repeat(9_000))).toBe(`${'x'.repeat(500)}… (cut)`);
  });

  it('is the same when it is handed over once more', () => {
    const entry = aCheckpoint('0', { input: { body: 'x'.repeat(9_000), json: ['y'.repeat(9_000)] } });
    const once = unpackLog(packCarried([entry]));
    expect(unpackLog(packCarried(once))).toEqual(once);
  });
});
