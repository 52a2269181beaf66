import { describe, expect, it } from 'vitest';
import { newestEngine } from '../../../../src/contract/engine.js';
import { outputOf } from '../../../support/fake-host.js';

/** As values of the run, and folded by the compiler. */
const inf = 'math.huge';
const nan = '(0/0)';
const cases = [
  ['1 ^ (1/0)', '1.0'],
  ['-1.0 ^ (-1/0)', '-1.0'],
  ['(-1) ^ (1/0)', '1.0'],
  ['(-1) ^ (-1/0)', '1.0'],
  [`one ^ ${inf}`, '1.0'],
  [`one ^ -${inf}`, '1.0'],
  [`one ^ ${nan}`, '1.0'],
  [`-one ^ ${inf}`, '-1.0'],
  [`(-one) ^ ${inf}`, '1.0'],
  [`"1" ^ ${inf}`, '1.0'],
  [`math.pow(1, ${inf})`, '1.0'],
  [`math.pow(-1, -${inf})`, '1.0'],
  [`math.pow(1, ${nan})`, '1.0'],
] as const;
/** These are the same in C and in JavaScript. */
const always = [
  [`(-one) ^ ${nan} ~= (-one) ^ ${nan}`, 'true'],
  ['(-one) ^ 3', '-1.0'],
  ['(-one) ^ 0.5 ~= (-one) ^ 0.5', 'true'],
  [`(2 * one) ^ ${inf}`, 'inf'],
  [`${nan} ^ 0`, '1.0'],
  ['math.pow(2, 10)', '1024.0'],
] as const;

const shown = (expression: string, engine = newestEngine): unknown =>
  outputOf(`local one = input.one return tostring(${expression})`, { input: { one: 1 }, engine });

describe('powers', () => {
  it.each([...cases, ...always])('%s is %s', (expression, expected) =>
    expect(shown(expression)).toBe(expected),
  );

  it.each(cases)('%s was nan in runs that began before', (expression) =>
    expect(shown(expression, 9)).toMatch(/^-?nan$/),
  );

  it.each(always)('%s was %s', (expression, expected) => expect(shown(expression, 9)).toBe(expected));
});
