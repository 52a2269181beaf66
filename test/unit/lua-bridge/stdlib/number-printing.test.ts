import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../support/fake-host.js';

describe('numbers as text', () => {
  it.each([
    ['0.1 + 0.2', '0.30000000000000004'],
    ['math.pi', '3.1415926535897931'],
    ['0.1', '0.1'],
    ['100.0', '100.0'],
    ['1e15', '1e+15'],
    ['1e14', '100000000000000.0'],
    ['123456789012345.0', '123456789012345.0'],
    ['1e100', '1e+100'],
    ['1e-5', '1e-05'],
    ['0.0001', '0.0001'],
    ['2^53', '9007199254740992.0'],
    ['1e308 * 10', 'inf'],
    ['-1e308 * 10', '-inf'],
    ['-0.0', '-0.0'],
    ['5e-324', '4.94065645841247e-324'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['3000000000', '3000000000'],
    ['-5', '-5'],
  ])('%s prints as %s', (expression, expected) => {
    expect(outputOf(`return tostring(${expression})`)).toBe(expected);
    expect(outputOf(`return "" .. (${expression})`)).toBe(expected);
  });

  it('print as not a number', () => expect(outputOf('return tostring(0/0)')).toMatch(/^-?nan$/));

  it('are joined to text as they are', () => {
    expect(outputOf('return "order-" .. 3000000000')).toBe('order-3000000000');
  });
});
