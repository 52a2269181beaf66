import { seededRandom } from './seeded-random.js';

/** `SAMPLE=all`: everything. */
export const isWhole = process.env['SAMPLE'] === 'all';

/**
 * A part of what a slow test could look at, in its order: one of so many, another one for each commit, and whatever must always be
 * there. `SAMPLE_SEED`, which the first lines of a test run tell, gives the same part again.
 */
export function sampled<T>(
  cases: readonly T[],
  oneOf: number,
  isAlwaysThere: (one: T) => boolean = () => false,
): T[] {
  if (isWhole) return [...cases];
  const others = cases.filter((one) => !isAlwaysThere(one));
  const count = Math.ceil(others.length / oneOf);
  const chosen = new Set(someOf(others, count, Number(process.env['SAMPLE_SEED'] ?? 1)));
  return cases.filter((one) => chosen.has(one) || isAlwaysThere(one));
}

/** So many of them, which a seed chooses. */
export function someOf<T>(cases: readonly T[], count: number, seed: number): T[] {
  const random = seededRandom(seed);
  const left = [...cases];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}
