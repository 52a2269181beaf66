import { defaultLimits } from '../../dist/contract/limits.js';
import { Program } from '../../dist/lua-bridge/index.js';
import { ReferenceLua } from '../../test/differential/reference-lua.ts';
import type { LupaPaths } from '../../test/support/lupa-paths.js';
import { casePrograms, generatedPrograms, repeated, type LuaProgram } from '../lua-programs.ts';
import { median, type Comparison } from './compare.ts';

/** Long enough for the clock, short enough for twenty programs. */
const leastMs = 60;
const mostTimes = 100_000;
const rounds = 5;
const seeds = 20;
const limits = { ...defaultLimits, totalInstructions: 1e15, idleInstructions: 1e15 };

export interface LuaFigures {
  cases: Comparison[];
  generated: Comparison[];
  loading: Comparison[];
  /** Cases that call primitives which nothing stands in for. */
  leftOut: string[];
}

interface Times {
  load: number;
  run: number;
}

/** What one run of each program takes in the bridge and in the reference, once it is loaded; and what loading takes. */
export async function measureLua(lupa: LupaPaths): Promise<LuaFigures> {
  const reference = new ReferenceLua(lupa);
  try {
    const leftOut: string[] = [];
    const cases: Measured[] = [];
    for (const program of casePrograms()) {
      const measured = (await runsInBoth(program, reference)) ? await measure(program, reference) : null;
      if (measured === null) leftOut.push(program.name);
      else cases.push(measured);
    }
    const generated: Measured[] = [];
    for (const program of await generatedPrograms(seeds))
      if (await runsInBoth(program, reference)) generated.push(await measure(program, reference));
    const summary = (what: string, all: readonly Measured[]): Comparison => ({
      ...{ what, unit: 'times', native: 1, ours: median(all.map(({ run }) => run.ours / run.native)) },
    });
    return {
      cases: [...cases.map(({ run }) => run), summary(`median of ${cases.length} cases`, cases)],
      generated: [summary(`median of ${generated.length} generated programs`, generated)],
      loading: [
        {
          ...{ what: 'a new state, with a program of some lines', unit: 'ms' },
          ours: median([...cases, ...generated].map(({ load }) => load.ours)),
          native: median([...cases, ...generated].map(({ load }) => load.native)),
        },
      ],
      leftOut,
    };
  } finally {
    await reference.stop();
  }
}

/** Whether it ends without an error, so that both do the same work. */
async function runsInBoth(program: LuaProgram, reference: ReferenceLua): Promise<boolean> {
  if (timeHere(repeated(program, 1)) === null) return false;
  return (await reference.run(repeated(program, 1))).error === null;
}

interface Measured {
  run: Comparison;
  load: { ours: number; native: number };
}

async function measure(program: LuaProgram, reference: ReferenceLua): Promise<Measured> {
  // A program is loaded with its first turn here, so that loading is measured by itself: without a run.
  const here = (times: number): Times => {
    const load = timeHere(repeated(program, 0)) ?? NaN;
    return { load, run: (timeHere(repeated(program, times)) ?? NaN) - load };
  };
  const there = (times: number): Promise<Times> => reference.time(repeated(program, times));
  const [ours, native] = [await enough(async (times) => here(times)), await enough(there)];
  const runs = {
    ours: [] as number[],
    native: [] as number[],
    loads: [] as number[],
    nativeLoads: [] as number[],
  };
  for (let round = 0; round < rounds; round++) {
    const mine = here(ours);
    const theirs = await there(native);
    runs.ours.push((mine.run * 1_000) / ours);
    runs.native.push((theirs.run * 1_000) / native);
    runs.loads.push(mine.load);
    runs.nativeLoads.push(theirs.load);
  }
  return {
    run: { what: program.name, unit: 'µs', ours: median(runs.ours), native: median(runs.native) },
    load: { ours: median(runs.loads), native: median(runs.nativeLoads) },
  };
}

/** How often a program has to run to be measured. */
async function enough(time: (times: number) => Promise<Times>): Promise<number> {
  for (let times = 1; ; times *= 4)
    if (times >= mostTimes || (await time(times)).run >= leastMs) return Math.min(times, mostTimes);
}

/** ms to make a state, load the program and run it; null where it raises an error or asks for something. */
function timeHere(source: string): number | null {
  const start = performance.now();
  const program = new Program({
    source: { entry: 'main.tac', files: { 'main.tac': source } },
    ...{ input: {}, runId: 'bench', startedAt: 0, seed: 'bench', limits, carried: [] },
  });
  for (;;) {
    const { kind } = program.turn();
    if (kind === 'failed' || kind === 'blocked') return null;
    if (kind === 'completed') return performance.now() - start;
  }
}
