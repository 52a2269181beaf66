import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInBridge } from './bridge-lua.js';
import { brokenSource } from './broken-source.js';
import { differences } from './compare.js';
import { examine, shrink } from './examine.js';
import { knownDifference, knownDifferences } from './known-differences.js';
import { randomStatements, sourceOf } from './random-program.js';
import { ReferenceLua } from './reference-lua.js';

/** `DIFFERENTIAL_SEEDS=20000 DIFFERENTIAL_FROM=5000` looks at others, for longer. */
const from = Number(process.env['DIFFERENTIAL_FROM'] ?? 1);
const count = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 2_000);
const seedsPerTest = 200;
const lupa = { python: 'python3', packages: '/tmp/lupa/content' };

describe('Lua here and in the reference', () => {
  let reference: ReferenceLua;
  beforeAll(() => {
    reference = new ReferenceLua(lupa);
  });
  afterAll(() => reference.stop());

  const first = Array.from({ length: Math.ceil(count / seedsPerTest) }, (_, i) => from + i * seedsPerTest);
  it.each(first)(
    `does the same in generated programs (${seedsPerTest} seeds from %i)`,
    { timeout: 120_000 },
    async (start) => {
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count); seed++) {
        const failure = await examine(reference, randomStatements(seed));
        if (failure === null) continue;
        const { statements, difference } = await shrink(reference, failure);
        const { ours, theirs } = difference;
        expect.fail(
          `seed ${seed}:\n${statements.join('\n')}\n\nhere:\n${ours}\n\nin the reference:\n${theirs}`,
        );
      }
    },
  );

  it('refuses the same sources, with the same words', { timeout: 120_000 }, async () => {
    for (let seed = from; seed < from + count; seed++) {
      const source = brokenSource(seed);
      const theirs = reference.run(source);
      const [difference] = differences(runInBridge(source), await theirs);
      if (difference === undefined || knownDifference(difference, source)) continue;
      console.log(`seed ${seed}:\n${source}\nhere:\n${difference.ours}\nin the reference:\n${difference.theirs}`);
    }
  });

  it.each(knownDifferences)('differs, as known, in $what', async (known) => {
    const source = sourceOf([known.example]);
    const [difference] = differences(runInBridge(source), await reference.run(source));
    expect(difference && knownDifference(difference, known.example)).toBe(known);
  });
});
