import { wordsOf } from '../../contract/text/texts.js';
import { lauxlib, literal, lua, toText, weighText, work, type CFunction } from '../kernel/index.js';

type Measure = (a: string, b: string) => number;

/** Twice what both have in common, in order, by how long both are together: 1 where they are the same. */
const ratio: Measure = (a, b) =>
  a === '' && b === '' ? 1 : (2 * commonLength(a, b)) / (a.length + b.length);

const measures: Record<string, Measure> = {
  ratio,
  partial_ratio: partialRatio,
  token_sort_ratio: (a, b) => ratio(wordsOf(a).sort().join(' '), wordsOf(b).sort().join(' ')),
  token_set_ratio: tokenSetRatio,
};

/** `similarity(a, b, algorithm)`: from 0 to 1, upper and lower case alike. */
export const similarity: CFunction = (L) => {
  const text = (index: number): string =>
    (toText(L, index) ?? lauxlib.luaL_argerror(L, index, literal('text expected'))).toLowerCase().trim();
  const [a, b] = [text(1), text(2)];
  weighText(L, 2 * (a.length + b.length));
  const name = toText(L, 3) ?? 'ratio';
  const measure = Object.hasOwn(measures, name) ? measures[name] : undefined;
  if (measure === undefined)
    return lauxlib.luaL_argerror(
      L,
      3,
      literal('algorithm: ratio, partial_ratio, token_sort_ratio or token_set_ratio'),
    );
  const windows =
    measure === partialRatio ? Math.abs(a.length - b.length) + 2 * Math.min(a.length, b.length) : 3;
  work(L, Math.ceil((a.length * b.length * windows) / 2));
  lua.lua_pushnumber(L, a === '' || b === '' ? 0 : measure(a, b));
  return 1;
};

/** Length of the longest common subsequence. */
function commonLength(a: string, b: string): number {
  let above = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++)
      row[j + 1] =
        a.charCodeAt(i) === b.charCodeAt(j) ? (above[j] ?? 0) + 1 : Math.max(above[j + 1] ?? 0, row[j] ?? 0);
    [above, row] = [row, above];
  }
  return above[b.length] ?? 0;
}

/** The best likeness of the shorter text with a part of the longer one. */
function partialRatio(a: string, b: string): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let best = 0;
  for (let end = 1; end < long.length + short.length; end++)
    best = Math.max(best, ratio(short, long.slice(Math.max(0, end - short.length), end)));
  return best;
}

/** Compares what words both have with what each has beside them: 1 where one has all words of the other. */
function tokenSetRatio(a: string, b: string): number {
  const [inA, inB] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
  const both = [...inA].filter((word) => inB.has(word)).sort();
  const onlyA = [...inA].filter((word) => !inB.has(word)).sort();
  const onlyB = [...inB].filter((word) => !inA.has(word)).sort();
  if (both.length > 0 && (onlyA.length === 0 || onlyB.length === 0)) return 1;
  const common = both.join(' ');
  const withA = [...both, ...onlyA].join(' ');
  const withB = [...both, ...onlyB].join(' ');
  const beside = both.length === 0 ? 0 : Math.max(ratio(common, withA), ratio(common, withB));
  return Math.max(beside, ratio(withA, withB));
}
