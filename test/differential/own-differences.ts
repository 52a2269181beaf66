import type { KnownDifference } from './known-differences.js';

/** Differences that are meant, beside those of generated programs. */
export const ownDifferences: readonly KnownDifference[] = [
  {
    what: 'where integers end',
    why: 'numbers are JavaScript doubles here',
    example: 'return table.concat({"a"}, "x", math.maxinteger, math.maxinteger)',
    statement: /maxinteger|mininteger/,
    ours: /9007199254740991/,
    theirs: /9223372036854775807/,
  },
  {
    what: 'what a constant is called in errors',
    why: 'the error here says which variable it was; Lua 5.5 has put its value in its place',
    example: 'local a <const> = 5 return a()',
    statement: /<const>/,
    ours: /a number value \(local 'a'\)/,
    theirs: /a number value"/,
  },
  {
    what: 'where a goto finds no label',
    why: 'the error here has the line that is read then as well, and says that it is a local variable',
    example: 'goto past local x = 1 ::past:: print(x)',
    statement: /goto/,
    ours: /no visible label|jumps into the scope of local/,
    theirs: /no visible label|jumps into the scope of/,
  },
  {
    what: 'labels of the same name in a block within',
    why: 'Lua 5.3 allows them, as it does variables, and so does this',
    example: '::twice:: do ::twice:: end',
    theirs: /label 'twice' already defined/,
  },
  {
    what: 'how a source that nests too deep is told',
    why: 'the limit is the same 200; the error here says where it is',
    example: `return ${'('.repeat(201)}1${')'.repeat(201)}`,
    ours: /too many C levels \(limit is 200\)/,
    theirs: /C stack overflow/,
  },
];
