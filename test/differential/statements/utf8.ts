import type { Statement } from './statement.js';

export const utf8: Statement[] = [
  (v) => `return utf8.char(${v.mostly(() => v.random.pick(['233', '0x20AC', '128512', '65', '0', '0x10FFFF', '0x7FFFFFFF', '0xD800', '-1', '2147483648']))}, 97)`,
  (v) => `return utf8.len(${v.mostly(() => v.bytes())}${v.random.pick(['', `, ${v.small()}`, `, ${v.small()}, ${v.small()}`, ', 1, -1, true'])})`,
  (v) => `return utf8.codepoint(${v.mostly(() => v.bytes())}${v.random.pick(['', `, ${v.small()}`, `, ${v.small()}, ${v.small()}`, ', 1, -1'])})`,
  (v) => `return (utf8.offset(${v.mostly(() => v.bytes())}, ${v.mostly(() => v.small())}${v.random.pick(['', `, ${v.small()}`])}))`,
  (v) => `for p, c in utf8.codes(${v.mostly(() => v.bytes())}${v.random.pick(['', '', ', true'])}) do print(p, c) end`,
  (v) => `local out = {} for c in (${v.text()}):gmatch(utf8.charpattern) do out[#out + 1] = c end return out`,
]; // prettier-ignore
