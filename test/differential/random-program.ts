import { SeededRandom } from '../fuzz/seeded-random.js';
import { prelude } from './prelude.js';
import { RandomValues } from './random-values.js';
import { control } from './statements/control.js';
import { coroutines } from './statements/coroutines.js';
import { errors } from './statements/errors.js';
import { metatables } from './statements/metatables.js';
import { numbers } from './statements/numbers.js';
import { patterns } from './statements/patterns.js';
import type { Statement } from './statements/statement.js';
import { strings } from './statements/strings.js';
import { tables } from './statements/tables.js';
import { utf8 } from './statements/utf8.js';

const kinds: readonly (readonly Statement[])[] = [
  numbers, strings, patterns, tables, control, errors, metatables, coroutines, utf8,
]; // prettier-ignore

/** Statements of a program: each is the body of a function, and they share a few variables. */
export function randomStatements(seed: number): string[] {
  const values = new RandomValues(new SeededRandom(seed));
  const { random } = values;
  return Array.from({ length: 8 + random.below(8) }, () => random.pick(random.pick(kinds))(values));
}

export function sourceOf(statements: readonly string[]): string {
  const tried = statements.map((statement, i) => `try(${i + 1}, function() ${statement} end)`);
  return [prelude, ...tried, 'return true'].join('\n');
}
