import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../support/fake-host.js';

const evaluate = (expression: string) => outputOf(`return tostring(${expression})`);

describe('integers', () => {
  it.each([
    ['2147483647 + 1', '2147483648'],
    ['-2147483648 - 1', '-2147483649'],
    ['3000000000 * 3', '9000000000'],
    ['94906265 * 94906265', '9007199136250225'],
    ['math.maxinteger', '9007199254740991'],
    ['math.mininteger', '-9007199254740991'],
    ['7 // 2', '3'],
    ['-7 // 2', '-4'],
    ['7 // -2', '-4'],
    ['-7 % 3', '2'],
    ['7 % -3', '-2'],
    ['9007199254740991 // 10', '900719925474099'],
    ['9007199254740991 % 10', '1'],
    ['-9007199254740991 % 10', '9'],
    ['3000000000 // 1', '3000000000'],
    ['- 3000000000', '-3000000000'],
    ['0 * -1', '0'],
    ['"10" + 5', '15'],
    ['"3000000000" + 1', '3000000001'],
    ['10 / 2', '5.0'],
    ['2^31', '2147483648.0'],
    ['2^31 | 0', '2147483648'],
    ['3000000000 == 3e9', 'true'],
    ['math.type(3000000000)', 'integer'],
    ['math.type(3e9)', 'float'],
    ['math.tointeger(3e9)', '3000000000'],
    ['math.tointeger("x")', 'nil'],
    ['tonumber("0xFFFFFFFF")', '4294967295'],
    ['tonumber("9007199254740991")', '9007199254740991'],
    ['tonumber("zz", 36)', '1295'],
    ['tonumber("12", 2)', 'nil'],
    ['1 < 1.5', 'true'],
    ['9007199254740991 < 9007199254740992.0', 'true'],
    ['math.ult(1, -1)', 'true'],
    ['math.abs(-3000000000)', '3000000000'],
    ['math.fmod(-7, 3)', '-1'],
    ['math.floor(3.7)', '3'],
    ['math.ceil(-3.7)', '-3'],
  ])('%s is %s', (expression, expected) => expect(evaluate(expression)).toBe(expected));

  it('become floats past 2^53', () => {
    expect(evaluate('math.maxinteger + 1')).toBe('9007199254740992.0');
    expect(evaluate('math.type(math.maxinteger * 2)')).toBe('float');
    expect(evaluate('math.type(9007199254740993)')).toBe('float');
  });

  it.each(['1 // 0', '1 % 0'])('%s is an error', (expression) => {
    expect(() => evaluate(expression)).toThrow(/attempt to (divide by zero|perform 'n)/);
  });

  it('count loops that pass 32 bits, and loops that end at the largest', () => {
    expect(outputOf('local n = 0 for i = 2147483640, 2147483655 do n = n + 1 end return n')).toBe(16);
    expect(
      outputOf('local n = 0 for i = math.maxinteger - 2, math.maxinteger do n = n + 1 end return n'),
    ).toBe(3);
    expect(
      outputOf('local n = 0 for i = math.mininteger, math.mininteger + 2 do n = n + 1 end return n'),
    ).toBe(3);
    expect(outputOf('local n = 0 for i = 3, 1, -1 do n = n + i end return n')).toBe(6);
  });

  it('are keys, whatever their size, and the same as the float of their value', () => {
    expect(outputOf('local t = {} t[3000000000] = 1 t[3e9] = 2 return t[3000000000]')).toBe(2);
    expect(outputOf('local t = {} t[-2147483649] = "low" return t[-2147483649]')).toBe('low');
  });
});

describe('bit operations', () => {
  it.each([
    ['1 << 31', '2147483648'],
    ['1 << 40', '1099511627776'],
    ['1 << 64', '0'],
    ['1 << -1', '0'],
    ['2^40 | 1', '1099511627777'],
    ['0xFFFFFFFFFF & 0xFF00000000', '1095216660480'],
    ['0xFFFFFFFFFF ~ 0xFF', '1099511627520'],
    ['5 & 3', '1'],
    ['5 | 3', '7'],
    ['5 ~ 3', '6'],
    ['~0', '-1'],
    ['~3000000000', '-3000000001'],
    ['-1 & 0xFFFFFFFF', '4294967295'],
    ['-1 >> 60', '15'],
    ['3000000000 >> 1', '1500000000'],
    ['"3" & 1', '1'],
    ['3.0 | 0', '3'],
  ])('%s is %s', (expression, expected) => expect(evaluate(expression)).toBe(expected));

  it.each(['1.5 | 0', '2^63 | 0', '"x" & 1', '{} | 1'])('refuse %s', (expression) => {
    expect(() => evaluate(expression)).toThrow();
  });
});

describe('packed integers', () => {
  it.each([
    ['("I4", 4294967295)', '4294967295'],
    ['("i4", -5)', '-5'],
    ['(">I8", 3000000000)', '3000000000'],
    ['("<i8", -3000000000)', '-3000000000'],
    ['("j", 2^40 | 0)', '1099511627776'],
    ['("J", math.maxinteger)', '9007199254740991'],
    ['("I8", -1)', '-1'],
    ['("i16", -3000000000)', '-3000000000'],
    ['("i3", -8388608)', '-8388608'],
    ['("B", 255)', '255'],
    ['("b", -128)', '-128'],
    ['("d", 0.1)', '0.1'],
    ['("s1", "text")', 'text'],
    ['("z", "text")', 'text'],
  ])('%s come back', (args, expected) => {
    const format = /"(.*?)"/.exec(args)?.[1] ?? '';
    expect(evaluate(`(string.unpack("${format}", string.pack${args}))`)).toBe(expected);
  });

  it('have the bytes that C Lua gives them', () => {
    expect(evaluate('string.pack(">I2I4", 258, 16909060) == "\\1\\2\\1\\2\\3\\4"')).toBe('true');
    expect(evaluate('string.packsize("jJTlL")')).toBe('40');
    expect(evaluate('(string.unpack("i8", ("\\0"):rep(7) .. "\\64"))')).toBe('4.6116860184273879e+18');
  });

  it.each([
    ['string.pack("B", 256)', 'unsigned overflow'],
    ['string.pack("I4", -1)', 'unsigned overflow'],
    ['string.pack("b", 128)', 'integer overflow'],
    ['string.pack("i4", 2147483648)', 'integer overflow'],
    ['string.pack("i17", 1)', 'out of limits'],
    ['string.unpack("i4", "abc")', 'data string too short'],
    ['string.unpack("s8", ("\\255"):rep(8))', 'data string too short'],
    ['string.unpack("I16", ("\\255"):rep(16))', 'does not fit'],
  ])('%s is an error', (call, message) => expect(() => evaluate(`(${call})`)).toThrow(message));
});
