import type { RandomValues } from '../random-values.js';
import type { Statement } from './statement.js';

const conversions = [
  'd',
  'i',
  'x',
  'X',
  'o',
  'c',
  'e',
  'E',
  'f',
  'g',
  'G',
  'a',
  'A',
  's',
  'q',
  'd',
  'f',
  'g',
  's',
  'q',
];

function conversion({ random }: RandomValues): string {
  const letter = random.chance(0.02) ? random.pick(['u', 'F', 'y', 'l', 'n', ' ']) : random.pick(conversions);
  if (letter === 'q' && random.chance(0.95)) return '%q';
  const flags = random.chance(0.4)
    ? random.pick(['-', '+', ' ', '#', '0', '-0', '+0', '# ', '00', '-+ #0'])
    : '';
  const width = random.chance(0.4) ? random.pick(['1', '5', '10', '20', '99', '100']) : '';
  const precision = random.chance(0.4)
    ? `.${random.pick(['', '0', '1', '3', '10', '14', '17', '20', '99', '100'])}`
    : '';
  return `%${flags}${width}${precision}${letter}`;
}

function argumentFor(v: RandomValues, text: string): string {
  const letter = text.at(-1) ?? '';
  if ('dixXo'.includes(letter))
    return v.mostly(() => v.random.pick([v.integer(), v.float(), v.numeral()]), 0.95);
  if (letter === 'c') return v.mostly(() => v.count(128));
  if ('eEfFgGaA'.includes(letter))
    return v.mostly(() => v.random.pick([v.float(), v.number(), v.numeral()]), 0.95);
  return v.any();
}

function formatted(v: RandomValues): string {
  const parts = Array.from({ length: 1 + v.random.below(3) }, () => conversion(v));
  const given = parts.map((part) => argumentFor(v, part));
  if (v.random.chance(0.03)) given.pop();
  if (v.random.chance(0.05)) given.push(v.any());
  const text = parts.join(v.random.pick(['', ' ', '|', '%%', 'é']));
  return `return string.format(${[`"${text}"`, ...given].join(', ')})`;
}

export const strings: Statement[] = [
  formatted,
  formatted,
  formatted,
  formatted,
  formatted,
  (v) => `return ("%5.1f|%-8s|%05d"):format(${v.float()}, ${v.text()}, ${v.mostly(() => v.small())})`,
  (v) => `return string.rep(${v.mostly(() => v.bytes())}, ${v.index()}, ${v.mostly(() => v.text())})`,
  (v) => `return string.rep(${v.text()}, ${v.small()})`,
  (v) => `local s = ${v.text()} return s:sub(${v.small()}, ${v.small()}), s:sub(${v.small()}), s:len(), #s, s:reverse()`,
  (v) => `local s = ${v.bytes()} return s:upper(), s:lower(), s:byte(1, -1)`,
  (v) => `return string.byte(${v.mostly(() => v.bytes())}, ${v.mostly(() => v.small())}, ${v.mostly(() => v.small())})`,
  (v) => `return string.char(${v.mostly(() => v.count(300))}, ${v.mostly(() => v.small())})`,
  (v) => `return ${v.mostly(() => v.bytes())} .. ${v.mostly(() => v.number())} .. ${v.mostly(() => v.text())}`,
  (v) => `return ${v.bytes()} < ${v.bytes()}, ${v.bytes()} == ${v.bytes()}, ${v.bytes()} <= ${v.bytes()}`,
  (v) => `s1 = (${v.mostly(() => v.text())} .. s1):sub(1, 12) return s1, #s1`,
  (v) => `return string.upper(${v.any()}), string.lower(${v.any()})`,
  (v) => `return (${v.any()}):upper()`,
  (v) => `return ${v.text()}:${v.random.pick(['missing', 'uper', 'format', 'rep'])}(${v.any()})`,
  (v) => `local s = ${v.text()} return s.x, s.len == string.len, s[1]`,
  () => `return "a\\65\\x42\\u{43}\\z
       d\\
e", [[
raw\\n]], [==[a]]b]==], '\\'', "\\a\\b\\f\\v"`,
  (v) => `return string.pack(${v.random.pick(['"<i4"', '">I2"', '"z"', '"s1"', '"<d"', '"<i8"', '"b"', '"!4 i1 i4"', '"<j"'])}, ${v.mostly(() => v.random.pick([v.small(), v.count(300), v.text()]))})`,
  (v) => `return string.unpack(${v.random.pick(['"<i4"', '">I2"', '"z"', '"s1"', '"<d"', '"b"', '"<i3"'])}, "${v.random.pick(['abcdefghij', '\\\\0\\\\1\\\\2\\\\3\\\\255\\\\254\\\\7\\\\8', 'ab\\\\0'])}"${v.random.pick(['', ', 2', ', -3', ', 20'])})`,
]; // prettier-ignore
