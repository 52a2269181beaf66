import { SeededRandom } from '../fuzz/seeded-random.js';
import { randomStatements } from './random-program.js';

const strayTokens = [
  'end', 'then', '=', ')', '(', '}', 'local', 'goto', '::', '..', ',', '"', '1', 'x', 'return', '~', '...', 'break', '[[',
  '0x', '\\', 'do', 'for', 'in', '3..2', '1e', '@', "'", 'nil', '{', '!=', 'not', 'if', 'while', '<', ';', '#', '--[[', 'else', 'until',
]; // prettier-ignore

/** A program that may not be Lua, with a token lost or a stray one. It ends before it does anything. */
export function brokenSource(seed: number): string {
  const random = new SeededRandom(-seed);
  const tokens = random.pick(randomStatements(seed)).split(/(?<=\W)|(?=\W)/);
  const stray = random.chance(0.6) ? [` ${random.pick(strayTokens)} `] : [];
  tokens.splice(random.below(tokens.length), stray.length === 0 || random.chance(0.3) ? 1 : 0, ...stray);
  return `do return true end\nlocal s1, s2, t1, t2, i1, i2\n${tokens.join('')}\n`;
}
