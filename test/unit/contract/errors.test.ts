import { describe, expect, expectTypeOf, it } from 'vitest';
import { hasCode, TactusError, type ErrorCode } from '../../../src/contract/errors.js';
import type { JsonObject } from '../../../src/contract/json/json.js';

describe('the details of an error', () => {
  it('are those of its code', () => {
    const error = new TactusError('egress_denied', 'not allowed', { host: 'example.com', port: 443 });
    expectTypeOf(error.details.port).toEqualTypeOf<number | undefined>();
    expect(error.details).toEqual({ host: 'example.com', port: 443 });
  });

  it('of another shape do not compile', () => {
    const wrong = [
      // @ts-expect-error: the port is a number
      () => new TactusError('egress_denied', 'not allowed', { host: 'example.com', port: '443' }),
      // @ts-expect-error: no such detail of this code
      () => new TactusError('egress_denied', 'not allowed', { field: 'name' }),
      // @ts-expect-error: this code has only the common details
      (): TactusError => new TactusError('forbidden', 'not yours', { field: 'name' }),
      // @ts-expect-error: no such code
      () => new TactusError('no_such_code', 'wrong'),
    ];
    expect(wrong.map((make) => make() instanceof TactusError)).toEqual([true, true, true, true]);
  });

  it('are any JSON where the code is not known', () => {
    const code = 'lua_error' as ErrorCode;
    const error: TactusError = new TactusError(code, 'failed', {
      whatever: ['an older version', 'recorded'],
    });
    expectTypeOf(error.details).toEqualTypeOf<JsonObject>();
    expect(error.details).toEqual({ whatever: ['an older version', 'recorded'] });
  });

  it('are none where none are given', () => {
    expect(new TactusError('forbidden', 'not yours').details).toEqual({});
  });
});

describe('hasCode', () => {
  const error: unknown = new TactusError('missing_key', 'set it', { variable: 'OPENAI_API_KEY' });

  it('tells the type of the details', () => {
    if (!hasCode(error, 'missing_key')) throw new Error('it has that code');
    expectTypeOf(error.details.variable).toEqualTypeOf<string | undefined>();
    expect(error.details.variable).toBe('OPENAI_API_KEY');
  });

  it('takes several codes', () => {
    expect(hasCode(error, 'missing_package', 'missing_key')).toBe(true);
    expect(hasCode(error, 'missing_package', 'usage')).toBe(false);
  });

  it.each([[new Error('missing_key')], [{ code: 'missing_key' }], [null], ['missing_key']])(
    'is false of %s',
    (other) => {
      expect(hasCode(other, 'missing_key')).toBe(false);
    },
  );

  it('leaves the code of an unknown error typed', () => {
    if (!(error instanceof TactusError)) throw new Error('it is one');
    expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  });
});
