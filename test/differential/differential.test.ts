import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lupaPaths, type LupaPaths } from '../support/lupa-paths.js';
import { runInBridge } from './bridge-lua.js';
import { brokenSource } from './broken-source.js';
import { differences, type Difference } from './compare.js';
import { examine, shrink } from './examine.js';
import { knownDifference, knownDifferences } from './known-differences.js';
import { randomStatements, sourceOf } from './random-program.js';
import { ReferenceLua } from './reference-lua.js';

/** `DIFFERENTIAL_SEEDS=20000 DIFFERENTIAL_FROM=5000` looks at others, for longer. */
const from = Number(process.env['DIFFERENTIAL_FROM'] ?? 1);
const count = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 2_000);
const seedsPerTest = 200;
const firstSeeds = (seeds: number): number[] =>
  Array.from({ length: Math.ceil(seeds / seedsPerTest) }, (_, i) => from + i * seedsPerTest);

const lupa = lupaPaths();
const required = process.env['DIFFERENTIAL_TEST'] === 'required';
if (lupa === null)
  console.warn(
    'SKIPPED: nothing is compared with the Lua of the reference, for there is no lupa; `npm test` says why.',
  );

describe.skipIf(lupa === null && !required)('Lua here and in the reference', () => {
  let reference: ReferenceLua;
  beforeAll(() => {
    expect(lupa, 'the set-up got no lupa').not.toBeNull();
    reference = new ReferenceLua(lupa as LupaPaths);
  });
  afterAll(() => reference.stop());

  it.each(firstSeeds(count))(
    `does the same in generated programs (${seedsPerTest} seeds from %i)`,
    { timeout: 120_000 },
    async (start) => {
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count); seed++) {
        const failure = await examine(reference, randomStatements(seed));
        if (failure === null) continue;
        const { statements, difference } = await shrink(reference, failure);
        expect.fail(report(seed, statements.join('\n'), difference));
      }
    },
  );

  // There are fewer ways to be no program.
  it.each(firstSeeds(count / 4))(
    `refuses the same sources in the same words (${seedsPerTest} seeds from %i)`,
    { timeout: 120_000 },
    async (start) => {
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count / 4); seed++) {
        const source = brokenSource(seed);
        const theirs = reference.run(source);
        const [difference] = differences(runInBridge(source), await theirs);
        if (difference !== undefined && knownDifference(difference, source) === undefined)
          expect.fail(report(seed, source, difference));
      }
    },
  );

  it.each(knownDifferences)('differs, as known, in $what', async (known) => {
    const source = sourceOf([known.example]);
    const [difference] = differences(runInBridge(source), await reference.run(source));
    expect(difference && knownDifference(difference, known.example)).toBe(known);
  });
});

function report(seed: number, program: string, { ours, theirs }: Difference): string {
  return `seed ${seed}:\n${program}\n\nhere:\n${ours}\n\nin the reference:\n${theirs}`;
}
