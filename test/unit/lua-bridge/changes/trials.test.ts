import { describe, expect, it } from 'vitest';
import { trialModes, type Trial, type TrialMode } from '../../../../src/contract/changes/trial.js';
import type { Checkpoint, EffectRequest } from '../../../../src/contract/checkpoints/checkpoint.js';
import { definitionOf } from '../../../../src/contract/effects/effects.js';
import { defaultLimits } from '../../../../src/contract/runs/limits.js';
import type { ProcedureSource } from '../../../../src/contract/procedures/source.js';
import { PastAnswersReader, Program, type Turn } from '../../../../src/lua-bridge/index.js';
import { randomAnswer, runStart } from '../../../support/fake-host.js';
import { pick, randomProcedure } from '../../../support/random-procedure.js';
import { isWhole } from '../../../support/sampled.js';
import { seededRandom } from '../../../support/seeded-random.js';

const firstSeed = isWhole ? 0 : Number(process.env['SAMPLE_SEED'] ?? 1) % 100_000;
const seeds = Array.from({ length: isWhole ? 500 : 40 }, (_, i) => firstSeed + i);
/** Longer runs are no better than others. */
const mostSteps = 80;

const optionsOf = (source: ProcedureSource) => ({
  ...{ source, input: {}, runId: 'run', startedAt: runStart, seed: 'seed', limits: defaultLimits },
});

interface Ended {
  turn: Turn;
  log: readonly Checkpoint[];
  /** What the host was asked for. */
  asked: EffectRequest[];
}

/** Runs it to its end, with answers in any order; null: it is too long, or begins again. */
function run(seed: number, program: Program): Ended | null {
  const random = seededRandom(seed + 1);
  const asked: EffectRequest[] = [];
  let open: EffectRequest[] = [];
  let now = runStart;
  for (let step = 0; step < mostSteps;) {
    const turn = program.turn();
    if (turn.kind === 'slice') continue;
    if (turn.kind !== 'blocked') return { turn, log: program.log.entries, asked };
    asked.push(...turn.asked);
    open.push(...turn.asked);
    open = open.filter(({ position }) => !turn.cancelled.includes(position));
    const request = pick(random, open);
    if (request.effect.kind === 'continue_as_new') return null;
    open = open.filter((each) => each !== request);
    now += Math.floor(random() * 2_000);
    program.settle(request.position, { ok: true, value: randomAnswer(request) }, now);
    step++;
  }
  return null;
}

function trialOf(past: Ended, source: ProcedureSource, mode: TrialMode): Trial {
  const reader = new PastAnswersReader(past.log, optionsOf(source));
  for (;;) {
    const read = reader.advance();
    if (read !== null) return { of: 'run', mode, answers: read.answers };
  }
}

/** Whatever the order of answers was: time went on elsewhere. */
const recorded = (log: readonly Checkpoint[]): unknown[] =>
  log.map(({ position, type, name, outcome, at }) => ({ position, type, name, outcome, at }));

describe('a trial of any procedure', () => {
  it.each(trialModes)('in the mode %s comes to what the run came to, in the same order', (mode) => {
    let tried = 0;
    for (const seed of seeds) {
      const source = randomProcedure(seed);
      const past = run(seed, new Program({ ...optionsOf(source), carried: [] }));
      if (past === null) continue;
      tried++;
      const trial = trialOf(past, source, mode);
      const again = run(seed + 7, new Program({ ...optionsOf(source), carried: [], trial }));
      expect(again?.turn, `seed ${seed}`).toEqual(past.turn);
      expect(recorded(again?.log ?? []), `seed ${seed}`).toEqual(recorded(past.log));
      const classes = again?.asked.map(({ effect }) => definitionOf(effect.kind).effectClass(effect)) ?? [];
      const allowed = mode === 'teacher' ? ['model'] : ['model', 'pure', 'idempotent'];
      expect(classes.filter((each) => !allowed.includes(each))).toEqual([]);
    }
    expect(tried).toBeGreaterThan(seeds.length / 4);
  });
});
