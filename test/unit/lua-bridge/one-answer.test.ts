import { expect, it } from 'vitest';
import type { Turn } from '../../../src/lua-bridge/index.js';
import { answerOf, fakeProgram, runStart } from '../../support/fake-host.js';

const source = `
Procedure { function()
  local seen = {}
  Parallel.map({1, 2, 3}, function(seconds) Sleep(seconds) seen[#seen + 1] = seconds end)
  return seen
end }`;

it('looks at one answer in a turn, and has it in the log before the procedure gets it', () => {
  const program = fakeProgram(source);
  while (program.turn().kind === 'slice');
  const asked = [...program.pending];
  expect(asked).toHaveLength(3);
  // All three are there before the first of them is looked at, the last one first.
  for (const request of asked.toReversed()) {
    const { effect, position } = request;
    if (effect === undefined) throw new Error('it asked for nothing');
    program.settle(position, { ok: true, value: answerOf(effect, request) }, runStart);
  }
  const logged: number[] = [];
  let turn: Turn;
  do {
    turn = program.turn();
    logged.push(program.log.entries.length);
  } while (turn.kind !== 'completed' && turn.kind !== 'failed' && logged.length < 10);
  // With the last one, `Parallel.map` itself has ended.
  expect(logged).toEqual([1, 2, 4]);
  expect(program.log.entries.slice(0, 3).map(({ position }) => position)).toEqual(
    asked.toReversed().map(({ position }) => position),
  );
  expect(turn).toMatchObject({ kind: 'completed', output: [3, 2, 1] });
});
