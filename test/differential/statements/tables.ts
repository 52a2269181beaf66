import type { RandomValues } from '../random-values.js';
import type { Statement } from './statement.js';

const comparators = [
  'function(a, b) return a > b end',
  'function(a, b) return true end',
  'function(a, b) error("no order") end',
  'function(a, b) return tostring(a) < tostring(b) end',
  'function(a, b) return nil end',
  'function(a, b) return #a < #b end',
  'nil',
];

function key(v: RandomValues): string {
  return v.random.pick([
    () => v.small(),
    () => v.float(),
    () => v.integer(),
    () => v.text(),
    () => v.random.pick(['true', 'nil', '(0/0)', '1.0', '-0.0', '2^53', '"x"', '"1"', '{}']),
  ])();
}

export const tables: Statement[] = [
  (v) => `local t = ${v.table()} table.insert(t, ${v.mostly(() => v.small())}) return t, #t`,
  (v) => `local t = ${v.list(() => v.small())} table.insert(t, ${v.mostly(() => v.small())}, ${v.any()}) return t`,
  (v) => `return table.insert(${[v.any(), v.any(), v.any(), v.any()].slice(v.random.below(4)).join(', ')})`,
  (v) => `local t = ${v.list(() => v.small())} return table.remove(t, ${v.mostly(() => v.small())}), t`,
  (v) => `local t = ${v.list(() => v.some())} return table.remove(t), #t`,
  (v) => `return table.concat(${v.list(() => (v.random.chance(0.97) ? v.random.pick([v.text(), v.number()]) : v.some()))}, ${v.mostly(() => v.text())})`,
  (v) => `return table.concat(${v.list(() => v.text())}, ",", ${v.mostly(() => v.small())}, ${v.mostly(() => v.small())})`,
  (v) => `return table.concat(${v.any()})`,
  (v) => `local t = ${v.list(() => v.number())} table.sort(t) return t`,
  (v) => `local t = ${v.list(() => v.text())} table.sort(t) return t`,
  (v) => `local t = ${v.list(() => (v.random.chance(0.9) ? v.small() : v.some()))} table.sort(t, ${v.random.pick(comparators)}) return t`,
  (v) => `local t = ${v.list(() => v.text())} table.sort(t, ${v.random.pick(comparators)}) return t`,
  (v) => `return table.sort(${v.any()}, ${v.any()})`,
  (v) => `return table.unpack(${v.mostly(() => v.table())}, ${v.mostly(() => v.small())}, ${v.mostly(() => v.small())})`,
  (v) => `return table.pack(${v.any()}, nil, ${v.any()}, nil)`,
  (v) => `return table.move(${v.list(() => v.small())}, ${v.index()}, ${v.index()}, ${v.index()}${v.random.pick(['', ', {}', ', {9, 9, 9}'])})`,
  (v) => `local t = {} t[${key(v)}] = ${v.any()} t[${key(v)}] = ${v.any()} return t`,
  (v) => `local t = ${v.table()} return t[${key(v)}], rawget(t, ${key(v)}), rawlen(t)`,
  (v) => `t1[${key(v)}] = ${v.any()} return t1`,
  (v) => `t2.x = ${v.any()} return t2.x, t2`,
  (v) => `local k = {} for i, x in ipairs(${v.mostly(() => v.table())}) do k[i] = x end return k`,
  (v) => `for k, x in pairs(${v.list(() => v.some())}) do print(k, x) end`,
  (v) => `local t = {} for i = 1, ${v.count(20)} do t[i] = i * i end local out = {} for k, x in pairs(t) do out[#out + 1] = k .. "=" .. x end return table.concat(out, " ")`,
  (v) => `local n = 0 for _ in pairs(${v.mostly(() => v.table())}) do n = n + 1 end return n, next({}), next({7})`,
  (v) => `return next(${v.table()}, ${v.random.pick(['"absent"', '99', '{}'])})`,
  (v) => `return #${v.any()}`,
  (v) => `return rawequal(${v.any()}, ${v.any()}), rawlen(${v.any()})`,
  (v) => `return select(${v.mostly(() => v.random.pick(['"#"', '1', '2', '-1', '-2', '0', '9', '-9', '1.0']))}, ${v.any()}, ${v.any()})`,
  (v) => `local t = {${v.any()}, ${v.any()}, a = ${v.any()}; ${v.any()}} return t.a, t[2], t[3]`,
  (v) => `local t = {} t.a, t.b = ${v.any()} return t, ${v.any()}`,
  () => 'local t = {1, 2, 3, 4} for k in pairs(t) do t[k] = nil end return t, next(t)',
  (v) => `return rawset(${v.mostly(() => '{}')}, ${key(v)}, 1)`,
  (v) => `local t = {} for i = 1, ${v.count(40)} do t[i] = i * i % 17 end table.sort(t, function(a, b) return a > b end) return table.concat(t, " ")`,
]; // prettier-ignore
