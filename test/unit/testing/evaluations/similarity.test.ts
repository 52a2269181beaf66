import { describe, expect, it } from 'vitest';
import { looseSimilarity, similarity } from '../../../../src/testing/evaluations/expected-value.js';

describe('similarity', () => {
  it.each([
    ['', '', 1],
    ['abcd', 'bcde', 0.75],
    ['abc', 'xyz', 0],
    ['private Thread currentThread;', 'private volatile Thread currentThread;', 0.8656716417910447],
    ['pennsylvania', 'pencilvaneya', 0.6666666666666666],
    ['héllo', 'hello', 0.8],
  ])('of %j and %j is %d', (a, b, expected) => {
    expect(similarity(a, b)).toBeCloseTo(expected, 10);
  });

  it('leaves case and punctuation aside where people wrote the texts', () => {
    expect(looseSimilarity("Hello! I'm World.", 'hello im world')).toBe(1);
    expect(looseSimilarity('Well, hello there', 'HELLO')).toBe(1);
    expect(looseSimilarity('Good night', 'hello')).toBeLessThan(0.5);
  });
});
