import { expect, it } from 'vitest';
import { SeededRandom } from '../../fuzz/seeded-random.js';
import { randomProcedure } from '../../fuzz/random-procedure.js';
import { runUndisturbed } from '../../fuzz/simulated-host.js';
import type { Program } from '../../../src/lua-bridge/index.js';
import { fakeProgram, runFake } from '../../support/fake-host.js';

const source = `
  state.words = {}
  for i = 1, 200 do state.words[i] = "word " .. i end
  local kept = {}
  for i = 1, 20000 do kept[i % 100] = "text " .. i end
  return #kept`;

/** How many slices the program takes, and how it ends, when its state is looked at so often between two of them. */
function slicesWith(looks: number): { slices: number; kind: string } {
  const program = fakeProgram(source, { limits: { sliceInstructions: 5_000, memoryBytes: 400_000 } });
  for (let slices = 0; ; slices++) {
    const turn = program.turn();
    if (turn.kind !== 'slice') return { slices, kind: turn.kind };
    for (let i = 0; i < looks; i++) program.state();
  }
}

it('somebody who looks at the state of a running program changes nothing in it', () => {
  const unseen = slicesWith(0);
  expect(unseen.kind).toBe('completed');
  expect(slicesWith(1)).toEqual(unseen);
  expect(slicesWith(20)).toEqual(unseen);
});

/** All that a query or a status may ask of a program. */
function lookAtAll(program: Program): void {
  program.state();
  program.summary();
  program.describe();
  program.describeTests();
  void [program.pending, program.shown, program.observed, program.isLoading, program.log.ended];
}

interface Inside {
  meter: { used: number };
  L: { top: number; stack: unknown[]; l_G: { fuel: number; heap: number; id_counter: number } };
}

it('a thousand looks at a state of 10,000 values use nothing of the run', { timeout: 60_000 }, () => {
  const program = fakeProgram(
    `for i = 1, 100 do local t = {} for j = 1, 99 do t[j] = {n = j} end state["k" .. i] = t end
    Sleep(1) for i = 1, 1000 do end return #state.k1`,
  );
  expect(program.turn().kind).toBe('blocked');
  const { meter, L } = (program as unknown as { bridge: Inside }).bridge;
  const inside = (): unknown => ({
    used: meter.used,
    top: L.top,
    stack: L.stack.length,
    fuel: L.l_G.fuel,
    heap: L.l_G.heap,
    ids: L.l_G.id_counter,
  });
  const before = inside();
  const state = program.state();
  for (let i = 0; i < 1_000; i++) program.state();
  lookAtAll(program);
  expect(inside()).toEqual(before);
  expect(program.state()).toEqual(state);
  expect(Object.keys(state)).toHaveLength(100);
});

it('a state that is too large to be shown is said to be', () => {
  const program = fakeProgram('state.text = ("x"):rep(1900000) Sleep(1) return 1');
  program.turn();
  expect(program.state()).toEqual({ note: expect.stringMatching(/^the state is larger than/) as unknown });
});

it.each(Array.from({ length: 8 }, (_, i) => i * 25))(
  'a run that is looked at all the time goes the way of one that is not (25 procedures from %i)',
  { timeout: 60_000 },
  (first) => {
    for (let seed = first; seed < first + 25; seed++) {
      const source = randomProcedure(new SeededRandom(seed));
      const limits = { sliceInstructions: 700, memoryBytes: 3_000_000 };
      const run = (look: (program: Program) => void): unknown =>
        runUndisturbed(source, seed, new SeededRandom(seed), limits, look);
      expect(run(lookAtAll)).toEqual(run(() => {}));
    }
  },
);

it('what the log keeps counts as memory of the run, but for runs of before', () => {
  const source = `for i = 1, 20 do File.read("large.txt") end
    local kept = {} for i = 1, 30000 do kept[i % 10] = ("text "):rep(20) .. i end return 1`;
  const end = (engine: number): string | undefined => {
    const { ended } = runFake(source, {
      engine,
      limits: { memoryBytes: 4_000_000 },
      perform: () => 'x'.repeat(200_000),
    });
    return ended?.kind === 'failed' ? ended.error.code : ended?.kind;
  };
  expect(end(1)).toBe('completed');
  expect(end(2)).toBe('memory_limit');
});
