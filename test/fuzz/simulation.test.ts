import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { racingProcedure, randomProcedure } from './random-procedure.js';
import { SeededRandom } from './seeded-random.js';
import { wholeProcedure } from './whole-procedure.js';
import type { JsonObject } from '../../src/contract/json/json.js';
import { isWhole } from '../support/sampled.js';
import { runDisturbed, runUndisturbed, type Edit, type Seen } from './simulated-host.js';

/** `SIMULATION_SEEDS=20000 SIMULATION_FROM=1000` looks at others, for longer. Each commit looks at seeds of its own. */
const from = Number(process.env['SIMULATION_FROM'] ?? process.env['SAMPLE_SEED'] ?? 1);
const count = Number(process.env['SIMULATION_SEEDS'] ?? (isWhole ? 2_000 : 200));
const disturbances = 2;
const seedsPerTest = 50;

interface Regression {
  seed: number;
  why: string;
}
const regressions = JSON.parse(
  readFileSync(join(import.meta.dirname, 'regressions.json'), 'utf8'),
) as Regression[];

/** A disturbed run must look the same from outside as the undisturbed one, whenever it was cut and rebuilt. */
function simulate(seed: number, write = randomProcedure, edit: Edit | null = null): void {
  const random = new SeededRandom(seed);
  const source = write(random);
  const limits = { openEffects: random.pick([1, 3, 1_000]) };
  try {
    const undisturbed = runUndisturbed(source, seed, random, limits);
    for (let i = 0; i < disturbances; i++) {
      const sliceInstructions = random.pick([300, 2_000, 20_000, 5_000_000]);
      const seen = runDisturbed(source, undisturbed, random, { ...limits, sliceInstructions }, edit);
      const shown = edit === null ? (each: Seen) => each : withoutDigests;
      expect(shown(seen)).toEqual(shown(undisturbed.seen));
    }
  } catch (error) {
    if (error instanceof Error)
      error.message = `seed ${seed}: ${error.message}\n\nThe procedure:\n${numbered(source)}`;
    throw error;
  }
}

/** A prompt is part of the digest of what an agent is asked. */
function withoutDigests({ log, ...seen }: Seen): object {
  return { ...seen, log: (log as JsonObject[]).map(({ digest: _, ...entry }) => entry) };
}

/** Other prompts: what is recorded was asked for all the same. */
const reworded: Edit = (source, version) =>
  source.replace(/system_prompt = "/g, `system_prompt = "version ${version} `);

function numbered(source: string): string {
  return source
    .split('\n')
    .map((line, i) => `${String(i + 1).padStart(4)}  ${line}`)
    .join('\n');
}

describe('a run that is cut into slices and rebuilt from its log', () => {
  const first = Array.from({ length: Math.ceil(count / seedsPerTest) }, (_, i) => from + i * seedsPerTest);
  it.each(first)(
    `comes to what the undisturbed one does (${seedsPerTest} seeds from %i)`,
    { timeout: 180_000 },
    (start) => {
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count); seed++) simulate(seed);
    },
  );

  it.each(first.slice(0, Math.ceil(first.length / 4)))(
    `does so with parts that a snapshot stands for (${seedsPerTest} seeds from %i)`,
    { timeout: 180_000 },
    (start) => {
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count); seed++)
        simulate(seed, wholeProcedure);
    },
  );

  it.each(first.slice(0, Math.ceil(first.length / 4)))(
    `does so with work that is given up (${seedsPerTest} seeds from %i)`,
    { timeout: 180_000 },
    (start) => {
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count); seed++)
        simulate(seed, racingProcedure);
    },
  );

  it.each(first.slice(0, Math.ceil(first.length / 4)))(
    `does so where its source is another one each time (${seedsPerTest} seeds from %i)`,
    { timeout: 180_000 },
    (start) => {
      const writers = [randomProcedure, wholeProcedure, racingProcedure];
      for (let seed = start; seed < Math.min(start + seedsPerTest, from + count); seed++)
        simulate(seed, writers[seed % writers.length], reworded);
    },
  );

  it.each(regressions)('does so for seed $seed: $why', ({ seed }) => simulate(seed));
});
