import type { Attack } from './attack.js';

const nested = (depth: number): string => '('.repeat(depth) + '1' + ')'.repeat(depth);

/**
 * Attacks whose text is too long, or holds bytes too odd, for a file.
 *
 * What is attacked elsewhere or can't be attacked yet: cancelled runs that a `pcall` catches, children that start children,
 * and updates in masses need a server (test/workflow, test/fault); the clock, random numbers and replay are in test/unit/lua-bridge.
 * `Human.notify`, watchers of the state and schedules are not there.
 */
export const generatedAttacks: Record<string, Attack> = {
  'source-empty': { source: '' },
  'source-of-comments': { source: '-- nothing\n--[[ at all ]]' },
  'source-of-parentheses': { source: `return ${nested(5_000)}` },
  'source-of-tables': { source: `return ${'{'.repeat(5_000)}${'}'.repeat(5_000)}` },
  'source-of-functions': { source: `return ${'function() return '.repeat(5_000)} 1 ${'end '.repeat(5_000)}` },
  'source-of-blocks': { source: 'do '.repeat(5_000) + 'end '.repeat(5_000) },
  'source-of-terms': { source: `return ${'1+'.repeat(60_000)}1` },
  'source-of-not': { source: `return ${'not '.repeat(60_000)} 1` },
  'source-of-lines': { source: `local n = 0\n${'n = n + 1\n'.repeat(50_000)}return n` },
  'source-of-constants': {
    source: `local t = {${Array.from({ length: 40_000 }, (_, i) => `${i}.5`).join(',')}} return #t`,
  },
  'source-of-upvalues': {
    source: `${Array.from({ length: 150 }, (_, i) => `local a${i} = ${i}`).join('\n')}
local function f() local b0 = 0 ${Array.from({ length: 150 }, (_, i) => `local b${i} = a${i}`).join('\n')}
  return function() return ${Array.from({ length: 150 }, (_, i) => `a${i} + b${i}`).join('+')} end end
return f()()`,
  },
  'source-of-elseifs': {
    source: `local n = 5 if n == 0 then ${Array.from({ length: 20_000 }, (_, i) => `elseif n == -${i} then `).join('')} end return n`,
  },
  'source-of-labels': { source: Array.from({ length: 30_000 }, (_, i) => `::l${i}:: x=1 `).join('') },
  'source-of-gotos': { source: `do ${Array.from({ length: 30_000 }, (_, i) => `goto l${i} `).join('')} end` },
  'source-of-breaks': { source: `while true do ${'if x then break end '.repeat(20_000)} end` },
  'source-of-ands': { source: `return ${'x and '.repeat(40_000)} 1` },
  'source-too-long': { source: `-- ${'x'.repeat(512 * 1024)}\nreturn 1` },
  'source-of-five-megabytes': { source: `return "${'x'.repeat(5_000_000)}"` },
  'source-long-string': { source: `return #[[${'x'.repeat(400_000)}]]` },
  'source-long-name': { source: `local ${'n'.repeat(100_000)} = 1 return ${'n'.repeat(100_000)}` },
  'source-wrong-on-line-10000': { source: `${'\n'.repeat(9_999)}return return` },
  'source-compiled': { source: '\u001bLua\u0053\u0000\u0019\u0093' },
  'source-with-nul': { source: 'local s = "a\u0000b" return #s' },
  'source-with-nul-outside': { source: 'return 1 \u0000 + 1' },
  'source-with-mark': { source: '\ufeffreturn "marked"' },
  'source-for-the-shell': { source: '#!/usr/bin/env tactus-temporal\nreturn "shell"' },
  'source-of-windows': { source: 'local a = 1\r\nlocal b = [[x\r\ny]]\r\nreturn a + #b\r\n' },
  'source-in-utf-16': { source: Array.from('return 1', (letter) => `${letter}\u0000`).join('') },
  'source-with-half-a-pair': { source: 'return #"\ud800"' },
  'source-with-odd-letters': { source: 'local é = 1 return é' },
  'source-unfinished-string': { source: 'return "abc' },
  'source-unfinished-comment': { source: '--[==[ abc ]=]' },
  'source-bad-escape': { source: 'return "\\u{110000000}"' },
  'source-long-numeral': { source: `return 1${'0'.repeat(100_000)}` },
  'source-goto-nowhere': { source: 'goto nowhere' },
  'source-named-oddly': {
    source: 'return require("odd")',
    files: { 'odd/init.tac': 'error("]] \\n" .. "x")' },
  },
  'module-endless': {
    source: 'return require("endless")',
    files: { 'endless.tac': 'while true do pcall(error) end' },
  },
  'module-cycle': {
    source: 'return require("a")',
    files: { 'a.tac': 'return require("b")', 'b.tac': 'return require("a")' },
  },
  'module-of-itself': { source: 'return require("main")' },
  'module-that-changes-strings': {
    source: 'local ok = pcall(require, "vandal") return {ok, #("x"):rep(2), require("good")}',
    files: { 'vandal.tac': 'string.rep = nil', 'good.tac': 'return ("ab"):rep(2)' },
  },
  'module-mis-cased': { source: 'require("Helper")', files: { 'helper.tac': 'return 1' } },
};
