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
  const random = seededRandom(Number(process.env['SAMPLE_SEED'] ?? 1));
  const others = cases.filter((one) => !isAlwaysThere(one));
  const chosen = new Set<T>();
  for (let left = Math.ceil(others.length / oneOf); left > 0; left--)
    chosen.add(others.splice(Math.floor(random() * others.length), 1)[0] as T);
  return cases.filter((one) => chosen.has(one) || isAlwaysThere(one));
}
