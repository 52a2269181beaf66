import { defaultLimits } from '../../dist/contract/runs/limits.js';
import { Program } from '../../dist/lua-bridge/index.js';
import { ReferenceLua } from '../../test/differential/reference-lua.ts';
import type { LupaPaths } from '../../test/support/lupa-paths.js';
import { casePrograms, type PartOfCase } from '../case-programs.ts';
import { generatedPrograms, repeated, type LuaProgram } from '../lua-programs.ts';
import { median, type Comparison } from './compare.ts';

/** Long enough for the clock, short enough for fifty programs. */
const leastMs = 60;
const mostTimes = 100_000;
const rounds = 5;
const seeds = 30;
const limits = { ...defaultLimits, totalInstructions: 1e15, idleInstructions: 1e15 };

export interface LuaFigures {
  cases: Comparison[];
  generated: Comparison[];
  loading: Comparison[];
  parts: PartOfCase[];
}

interface Times {
  load: number;
  run: number;
}

/**
 * What one run of each program takes in the bridge and in the reference, once it is loaded; and what loading takes.
 * @throws Error where a case doesn't compute the same in both, for then its figures would say nothing
 */
export async function measureLua(lupa: LupaPaths): Promise<LuaFigures> {
  const reference = new ReferenceLua(lupa);
  try {
    const { programs, parts } = casePrograms();
    const cases: Measured[] = [];
    for (const program of programs) {
      const difference = await differs(program, reference);
      if (difference !== null) throw new Error(difference);
      cases.push(await measure(program, reference));
    }
    const generated: Measured[] = [];
    // What differs on purpose, the differential test tells: other seeds serve as well.
    for (const program of await generatedPrograms(seeds))
      if ((await differs(program, reference)) === null) generated.push(await measure(program, reference));
    const summary = (what: string, all: readonly Measured[]): Comparison => ({
      ...{ what, unit: 'times', native: 1, ours: median(all.map(({ run }) => run.ours / run.native)) },
    });
    return {
      cases: [...cases.map(({ run }) => run), summary(`median of ${cases.length} cases`, cases)],
      generated: [summary(`median of ${generated.length} generated programs`, generated)],
      loading: [
        {
          ...{ what: 'a new state, with a program of some lines', unit: 'ms' },
          ours: median(generated.map(({ load }) => load.ours)),
          native: median(generated.map(({ load }) => load.native)),
        },
      ],
      parts,
    };
  } finally {
    await reference.stop();
  }
}

/** What the program does otherwise in the other Lua, or that it does nothing. */
async function differs({ name, shown }: LuaProgram, reference: ReferenceLua): Promise<string | null> {
  const here = shownHere(shown);
  const { printed, error } = await reference.run(shown);
  const there = { printed: printed.map(withoutAddresses), error };
  if (here.error === null && JSON.stringify(here) === JSON.stringify(there)) return null;
  return `${name} differs\nhere:  ${JSON.stringify(here)}\nthere: ${JSON.stringify(there)}`;
}

interface Measured {
  run: Comparison;
  load: { ours: number; native: number };
}

async function measure(program: LuaProgram, reference: ReferenceLua): Promise<Measured> {
  // A program is loaded with its first turn here, so that loading is measured by itself: without a run.
  const here = async (times: number): Promise<Times> => {
    const load = timeHere(repeated(program, 0));
    return { load, run: timeHere(repeated(program, times)) - load };
  };
  const there = (times: number): Promise<Times> => reference.time(repeated(program, times));
  const times = { ours: await enough(here), native: await enough(there) };
  const measured = { ours: [] as Times[], native: [] as Times[] };
  for (let round = 0; round < rounds; round++) {
    measured.ours.push(await here(times.ours));
    measured.native.push(await there(times.native));
  }
  const figure = (which: 'ours' | 'native', of: keyof Times): number =>
    median(measured[which].map((each) => each[of]));
  return {
    run: {
      ...{ what: program.name, unit: 'µs' },
      ours: (figure('ours', 'run') * 1_000) / times.ours,
      native: (figure('native', 'run') * 1_000) / times.native,
    },
    load: { ours: figure('ours', 'load'), native: figure('native', 'load') },
  };
}

/** How often a program has to run to be measured. */
async function enough(time: (times: number) => Promise<Times>): Promise<number> {
  for (let times = 1; ; times *= 4) {
    if (times >= mostTimes) return mostTimes;
    const { load, run } = await time(times);
    // Not by what a busy moment adds to a short one.
    if (run >= Math.max(leastMs, load)) return times;
  }
}

/** ms to make a state, load the program and run it. */
function timeHere(source: string): number {
  const start = performance.now();
  const { error } = ended(newProgram(source));
  if (error !== null) throw new Error(`${error} in\n${source}`);
  return performance.now() - start;
}

/** What a program prints and raises here. */
function shownHere(source: string): { printed: string[]; error: string | null } {
  const program = newProgram(source);
  const { error } = ended(program);
  const printed = program.shown.flatMap((line) =>
    line.kind === 'print' ? [withoutAddresses(line.text)] : [],
  );
  return { printed, error };
}

function newProgram(source: string): Program {
  return new Program({
    source: { entry: 'main.tac', files: { 'main.tac': source } },
    ...{ input: {}, runId: 'bench', startedAt: 0, seed: 'bench', limits, carried: [] },
  });
}

/** Runs it to its end. */
function ended(program: Program): { error: string | null } {
  for (;;) {
    const turn = program.turn();
    if (turn.kind === 'failed') return { error: turn.error.message };
    if (turn.kind === 'blocked') return { error: 'asks for more than Lua' };
    if (turn.kind === 'completed') return { error: null };
  }
}

/** Where a table lies is nothing that it computed. */
function withoutAddresses(text: string): string {
  return text.replaceAll(/0x[0-9a-f]+/g, '0x');
}
