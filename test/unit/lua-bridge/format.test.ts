import { describe, expect, it } from 'vitest';
import { outputOf } from '../../support/fake-host.js';

describe('string.format', () => {
  it.each([
    ['"%d", 3000000000', '3000000000'],
    ['"%d", 3.0', '3'],
    ['"%5d|%-5d|%05d", 42, 42, 42', '   42|42   |00042'],
    ['"%+d % d", 5, 5', '+5  5'],
    ['"%.3d", 5', '005'],
    ['"%i", -7', '-7'],
    ['"%x %X %#x", 255, 255, 255', 'ff FF 0xff'],
    ['"%x", -1', 'ffffffffffffffff'],
    ['"%o", 8', '10'],
    ['"%c%c", 72, 105', 'Hi'],
    ['"%5.2f", 2.345', ' 2.35'],
    ['"%.0f %.0f %.0f %.2f", 0.5, 1.5, 2.5, 0.125', '0 2 2 0.12'],
    ['"%.0e %.0e", 2.5, 3.5', '2e+00 4e+00'],
    ['"%.2f", 2.675', '2.67'],
    ['"%f", 1e22', '10000000000000000000000.000000'],
    ['"%.3f", -1.0005', '-1.000'],
    ['"%e", 12345.678', '1.234568e+04'],
    ['"%g", 1e20', '1e+20'],
    ['"%g", 0.0001', '0.0001'],
    ['"%g", 100000', '100000'],
    ['"%g", 1000000', '1e+06'],
    ['"%.3g", 3.14159', '3.14'],
    ['"%G", 1e-10', '1E-10'],
    ['"%f", 1/0', 'inf'],
    ['"%5.1f", -1/0', ' -inf'],
    ['"%a", 1', '0x1p+0'],
    ['"%s %s %s", nil, true, 1.5', 'nil true 1.5'],
    ['"%10s|%-10s|", "ab", "ab"', '        ab|ab        |'],
    ['"%.2s", "abc"', 'ab'],
    ['"%%"', '%'],
    ['"100%% of %d", 3', '100% of 3'],
    ['"%q", "a\\nb\\"c\\\\\\0001"', '"a\\\nb\\"c\\\\\\0001"'],
    ['"%q", 255', '255'],
    ['"%q", 1/0', '1e9999'],
    ['"%q", 0.5', '0.5'],
    ['"%s", setmetatable({}, {__tostring = function() return "shown" end})', 'shown'],
  ])('(%s) gives %s', (args, expected) => expect(outputOf(`return string.format(${args})`)).toBe(expected));

  it.each([
    ['"%d", 1.5', 'number has no integer representation'],
    ['"%d", "x"', 'number expected, got string'],
    ['"%d"', "bad argument #2 to 'format' (no value)"],
    ['"%y", 1', "invalid conversion '%y' to 'format'"],
    ['"%"', "bad argument #2 to 'format' (no value)"],
    ['"%100d", 1', 'width or precision too long'],
    ['"%.100f", 1', 'width or precision too long'],
    ['"%q", {}', 'value has no literal form'],
  ])('(%s) is an error', (args, message) => {
    expect(() => outputOf(`return string.format(${args})`)).toThrow(message);
  });
});
