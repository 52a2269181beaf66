import { describe, expect, it } from 'vitest';
import {
  contextAt,
  readTraceContext,
  readTraceparent,
  runTraceOf,
  spanIdAt,
  traceIdOf,
} from '../../../src/contract/traces/trace-context.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const keys = { runId: 'r', firstExecutionId: 'e' };

describe('a traceparent', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, { traceId, spanId, isSampled: true }],
    [`00-${traceId}-${spanId}-00`, { traceId, spanId, isSampled: false }],
    [`01-${traceId}-${spanId}-03-more`, { traceId, spanId, isSampled: true }],
    [`00-${traceId}-${spanId}-01-more`, null],
    [`ff-${traceId}-${spanId}-01`, null],
    [`00-${'0'.repeat(32)}-${spanId}-01`, null],
    [`00-${traceId}-${'0'.repeat(16)}-01`, null],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, null],
    ['', null],
    [undefined, null],
  ])('%j is read as %j', (text, read) => {
    expect(readTraceparent(text)).toEqual(read);
  });

  it('is taken with a tracestate of plain characters alone', () => {
    const traceparent = `00-${traceId}-${spanId}-01`;
    expect(readTraceContext({ traceparent, tracestate: 'a=1' })).toEqual({ traceparent, tracestate: 'a=1' });
    expect(readTraceContext({ traceparent, tracestate: 'a=\n' })).toEqual({ traceparent });
    expect(readTraceContext({ traceparent: 'x', tracestate: 'a=1' })).toBeNull();
    expect(readTraceContext(undefined)).toBeNull();
  });
});

describe('ids of traces and spans', () => {
  it('stay what they are: spans of one run are made by workers of different versions', () => {
    expect(traceIdOf('r')).toBe('a0d747719b13cf9fe33d17dd1412e923');
    expect(spanIdAt(keys, '')).toBe('1ff90163273d94e9');
    expect(spanIdAt(keys, '4.0.2')).toBe('67c9e653c6149e02');
  });

  it('differ in what is done anew, and in another run of the same id', () => {
    const anew = [{ position: '4', execution: 'e2' }];
    expect(spanIdAt({ ...keys, anew }, '4.0.2')).not.toBe(spanIdAt(keys, '4.0.2'));
    expect(spanIdAt({ ...keys, anew }, '5')).toBe(spanIdAt(keys, '5'));
    expect(spanIdAt({ ...keys, firstExecutionId: 'f' }, '5')).not.toBe(spanIdAt(keys, '5'));
  });

  it('lead from a run to what it asks for', () => {
    const given = { traceparent: `00-${traceId}-${spanId}-00`, tracestate: 'a=1' };
    const trace = runTraceOf('r', given);
    expect(trace).toEqual({ traceId, parentSpanId: spanId, isSampled: false, tracestate: 'a=1' });
    expect(contextAt(trace, keys, '3')).toEqual({
      traceparent: `00-${traceId}-${spanIdAt(keys, '3')}-00`,
      tracestate: 'a=1',
    });
    expect(runTraceOf('r', null)).toEqual({ traceId: traceIdOf('r'), parentSpanId: null, isSampled: true });
  });
});
