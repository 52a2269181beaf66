import type { RandomValues } from '../random-values.js';
import type { Statement } from './statement.js';

const singles = [
  'a', 'b', 'c', 'x', ' ', ',', '.', '=', '1', '%.', '%%', '%-', '%(', '%a', '%d', '%s', '%w', '%p', '%u', '%l', '%x', '%c',
  '%g', '%A', '%D', '%S', '%W', '%P', '%U', '[abc]', '[^,]', '[%w_]', '[a-c]', '[%]]', '[^%s]', '[]]', '[%a-z]', '[a-]',
  '[^%d%p]', 'é', '\\\\0', '[é]',
]; // prettier-ignore
const malformed = ['%', '[a', '(', ')', '%f', '%b', '%b(', '%9', '%0', '[%', '(()', '[^'];

function item({ random }: RandomValues, captures: number): string {
  const roll = random.next();
  const quantified = (): string => random.pick(singles) + random.pick(['', '', '*', '+', '-', '?']);
  if (roll < 0.62) return quantified();
  if (roll < 0.8) return `(${quantified()}${random.chance(0.3) ? quantified() : ''})`;
  if (roll < 0.84) return '()';
  if (roll < 0.89) return random.pick(['%f[%w]', '%f[%W]', '%f[^%a]', '%f[%z]', '%f[\\\\0]']);
  if (roll < 0.93) return random.pick(['%b()', '%b[]', '%bxx', '%b""'.replaceAll('"', "'")]);
  if (roll < 0.96 && captures > 0) return `%${1 + random.below(captures)}`;
  if (roll < 0.965) return random.pick(malformed);
  return random.pick(['^', '$', '-', '*']);
}

function pattern(v: RandomValues): string {
  const { random } = v;
  let text = random.chance(0.2) ? '^' : '';
  for (let left = 1 + random.below(4); left > 0; left--) text += item(v, text.split('(').length - 1);
  return `"${text}${random.chance(0.15) ? '$' : ''}"`.replaceAll('\\\\0', '\\0');
}

function replacement(v: RandomValues): string {
  const { random } = v;
  return random.pick([
    () => random.pick(['""', '"-"', '"<%0>"', '"<%1>"', '"%%"', '"%2"', '"%"', '"%x"', '"[%1%1]"', '"é"', '1', '2.5']),
    () => random.pick(['{a = "A", b = true, c = false}', '{["1"] = 1, x = 2.5}', '{}', '{a = {}}', 'setmetatable({}, {__index = function(_, k) return "<" .. k .. ">" end})']),
    () => random.pick(['string.upper', 'function(x) return nil end', 'function(...) return select("#", ...) end', 'function(x) return x .. x end', 'function(x) return {} end', 'function(x) error("no " .. x) end', 'function(x) return false end', 'function(x, y) return y end']),
  ])(); // prettier-ignore
}

export const patterns: Statement[] = [
  (v) => `return string.find(${v.bytes()}, ${pattern(v)})`,
  (v) => `return (${v.text()}):find(${pattern(v)}, ${v.mostly(() => v.small())}${v.random.pick(['', ', true', ', false'])})`,
  (v) => `return string.match(${v.bytes()}, ${pattern(v)})`,
  (v) => `return (${v.text()}):match(${pattern(v)}, ${v.small()})`,
  (v) => `return (${v.bytes()}):gsub(${pattern(v)}, ${replacement(v)})`,
  (v) => `return (${v.text()}):gsub(${pattern(v)}, ${replacement(v)}, ${v.mostly(() => v.small())})`,
  (v) => `return string.gsub(${v.mostly(() => v.text())}, ${v.mostly(() => pattern(v))}, ${v.mostly(() => replacement(v))})`,
  (v) => `local n = 0 for a, b in (${v.text()}):gmatch(${pattern(v)}) do print(a, b) n = n + 1 if n > 8 then break end end return n`,
  (v) => `for w in string.gmatch(${v.mostly(() => v.text())}, ${v.mostly(() => pattern(v))}${v.random.pick(['', '', ', 2', ', -1', ', 9'])}) do print(w) end`,
  (v) => `return string.find(${v.mostly(() => v.text())}, ${v.mostly(() => v.text())}, ${v.small()}, true)`,
  () => `return ("key = value # c"):match("^(%w+)%s*=%s*(%w+)"), ("2024-01-15"):match("(%d+)-(%d+)-(%d+)"), ("THE (quick) fox"):find("%((%a+)%)")`,
]; // prettier-ignore
