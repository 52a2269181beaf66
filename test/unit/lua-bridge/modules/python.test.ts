import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../support/fake-host.js';

const collect = (loop: string): string =>
  `local found = {} for ${loop} found[#found + 1] = x end return found`;

describe('python', () => {
  it.each([
    [collect('x in python.iter({"a", "b"}) do'), ['a', 'b']],
    [collect('_, x in python.iter({"a", "b"}) do'), ['a', 'b']],
    [collect('a, b in python.iter({"a", "b"}) do local x = b or a'), ['a', 'b']],
    [collect('x in python.iter({}) do'), []],
    [collect('x in python.iter({k = 1}) do'), ['k']],
    [collect('_, x in python.iterex({k = 1}) do'), [1]],
    [collect('i, v in python.enumerate({"a", "b"}) do local x = i .. v'), ['0a', '1b']],
    ['return {python.len({1, 2}), python.len("abc"), python.len({k = 1})}', [2, 3, 1]],
    ['return {python.none == nil, python.as_attrgetter({a = 1}).a}', [true, 1]],
  ])('%s', (source, expected) => expect(outputOf(source)).toEqual(expected));

  it.each(['eval', 'exec', 'import', 'builtins'])('.%s is refused', (name) =>
    expect(() => outputOf(`python.${name}("1")`)).toThrow(`python.${name} is not there`),
  );

  it('iterates over tables only', () => expect(() => outputOf('python.iter(5)')).toThrow('table expected'));
});
