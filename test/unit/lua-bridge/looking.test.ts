import { expect, it } from 'vitest';
import { fakeProgram } from '../../support/fake-host.js';

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
