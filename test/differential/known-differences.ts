import type { Difference } from './compare.js';

/** A difference that is meant, or not worth mending; the statement of `example` shows it. */
export interface KnownDifference {
  what: string;
  why: string;
  example: string;
  /** What the statement must look like, and what it gives here and in the reference. */
  statement?: RegExp;
  ours?: RegExp;
  theirs?: RegExp;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    what: 'integers end at 2^53 - 1, not at 2^63 - 1',
    why: 'numbers are JavaScript doubles here; what leaves the exact range becomes a float, and never a wrong integer',
    example: 'return 9007199254740991 + 1',
    statement: /2\^53|2\^63|9007199254740\d\d\d|1e1[56]|\^/,
    ours: /\d{16}\.0|\de\+1[5-9]/,
  },
  {
    what: 'floats past 2^53 have no integer',
    why: 'as above',
    example: 'return 2^53 | 0',
    ours: /has no integer representation|length is not an integer/,
  },
  {
    what: 'errors of arithmetic on text',
    why: 'the error here says which variable it was; the reference names the operation and both types',
    example: 'return "abc" + 1',
    ours: /attempt to perform arithmetic on a/,
    theirs: /attempt to (add|sub|mul|div|idiv|mod|pow|unm) a '/,
  },
  {
    what: 'zero as text that divides',
    why: 'the reference leaves the line out, for it divides inside a function of C',
    example: 'return 1 // "0"',
    ours: /main\.tac:\d+: (attempt to divide by zero|attempt to perform 'n%%?0')/,
    theirs: /"(attempt to divide by zero|attempt to perform 'n%%?0')/,
  },
  {
    what: 'text in bit operations',
    why: 'Lua 5.3 took numerals in text there, and procedures that need the error are hard to think of',
    example: 'return "10" | 2',
    theirs: /attempt to perform bitwise operation on a string value/,
  },
  {
    what: 'a loop up to not-a-number',
    why: 'Lua 5.3 never enters it, Lua 5.5 does so once; neither means anything',
    example: 'for i = 1.0, (0/0) do print(i) end',
    statement: /for i = [^,]*, \(0\/0\)/,
  },
  {
    what: 'math.fmod of integers',
    why: "it is Python's in the reference, and gives a float",
    example: 'return math.fmod(-7, 3)',
    statement: /math\.fmod/,
  },
  {
    what: 'math.floor and math.ceil of large floats',
    why: "Python's give an integer of any size",
    example: 'return math.floor(1e17)',
    statement: /math\.(floor|ceil)/,
    ours: /\de\+\d\d|\d{16}\.0/,
  },
  {
    what: 'the metatable of strings',
    why: 'whoever had it could change every string of a procedure',
    example: 'return getmetatable("x")',
    statement: /getmetatable\("x"\)/,
    ours: /returns false/,
  },
  {
    what: 'a fourth value of pairs',
    why: 'it is nil: Lua 5.5 closes it after a loop, and there is nothing to close here',
    example: 'return select("#", pairs({}))',
    statement: /pairs/,
  },
  {
    what: 'table.concat of a string',
    why: 'Lua 5.5 takes a string for a list without elements; an error that says what is wrong helps more',
    example: 'return table.concat("abc")',
    ours: /table expected, got string/,
  },
  {
    what: 'a yield outside of a coroutine',
    why: 'the error here has its line',
    example: 'coroutine.yield(1)',
    ours: /main\.tac:\d+: attempt to yield from outside a coroutine/,
  },
  {
    what: 'a break outside of a loop',
    why: 'the reference says where it reads on, the error here where the break stands',
    example: 'break',
    theirs: /break outside loop/,
  },
  {
    what: 'variables that are closed',
    why: 'nothing is closed at the end of a block here; the error says what to write',
    example: 'local x <close> = nil return x',
    ours: /there is no attribute <close>/,
  },
  {
    what: 'assignment to the variable of a loop',
    why: 'Lua 5.5 refuses it; Lua 5.3 allows it, and so does this',
    example: 'for i = 1, 2 do i = 3 end',
    theirs: /attempt to assign to const variable/,
  },
  {
    what: 'bytes that are no UTF-8 in a message',
    why: 'Python drops or replaces them in its own way',
    example: '"\\xff" then',
    statement: /\\x[89a-f]/,
  },
  {
    what: 'how many values can be unpacked',
    why: 'the stack is smaller, for many runs share a worker',
    example: 'return select("#", table.unpack({}, 1, 100000))',
    ours: /too many results to unpack/,
  },
  {
    what: 'the order of next',
    why: 'keys come in the order in which they were set; in the reference elements come first, and names by their hash, which is another one in each process',
    example: 'return next({10, 20, 30, x = 1})',
    statement: /\bnext\b/,
  },
  {
    what: 'the length of a list with a hole',
    why: 'any end of a stretch without holes is a length of it, and the reference may find another one',
    example: 'local t = {1, 2, 3} t[5] = "x" return #t',
    statement: /#t\b/,
    ours: /^returns (5|\{.*\b5=.*, 6=.*\}, 6)$/m,
  },
  {
    what: 'repetitions that no memory holds',
    why: 'the error here has its line, and says what is wrong',
    example: 'return ("x"):rep(21):rep(1e14)',
    ours: /resulting string too large/,
    theirs: /not enough memory/,
  },
  {
    what: 'loops over floats that are too far apart to be added',
    why: 'Lua 5.3 takes the step away from the first number and adds it again',
    example: 'for i = 5e-324, 1, 0.5 do print(i) end',
    statement: /for i = .*(e-324|e100|\d{16}|0\/0)/,
  },
  {
    what: 'a character that an invalid conversion cuts in two',
    why: 'half of a character is no text in either; the error is the same',
    example: 'return string.format("%100.100 é", 1)',
    ours: /invalid conversion '[^']*\\xC3\\x83'/,
    theirs: /invalid conversion '[^']*\\xC3'/,
  },
];

export function knownDifference(
  { ours, theirs }: Difference,
  statement: string,
  known: readonly KnownDifference[] = knownDifferences,
): KnownDifference | undefined {
  return known.find(
    (each) =>
      (each.statement?.test(statement) ?? true) &&
      (each.ours?.test(ours) ?? true) &&
      (each.theirs?.test(theirs) ?? true),
  );
}
