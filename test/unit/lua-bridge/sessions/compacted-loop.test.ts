import { expect, it } from 'vitest';
import { runFake, type FakeRun } from '../../../support/fake-host.js';

/** A loop of 40 rounds, each with two effects. */
function loop(before: string, inside: string): string {
  return `main = Procedure { function()
    local slice = Session.slice("rounds", { reducer = "replace_latest" })
    ${before}
    return DurableLoop { body = function()
      local slice = Session.slice("rounds")
      ${inside}
      slice.append { n = ((slice.latest() or {}).n or 0) + 1 }
      Sleep(1)
      checkpoint(function() return 1 end)
      if slice.latest().n == 40 then return { n = 40, told = state.told } end
    end }
  end }`;
}

const tells = 'slice.observe(function(_, after) state.told = (state.told or 0) + after[1].n end)';

/** The logs that a run hands on, and whether it ends as one that hands nothing on. */
function handedOn(source: string): {
  isSame: boolean;
  ended: FakeRun['ended'];
  last: FakeRun['handed'][number];
} {
  const whole = runFake(source);
  const { ended, handed } = runFake(source, { handsOver: (effects) => effects > 0 && effects % 13 === 0 });
  const isSame = JSON.stringify(ended) === JSON.stringify(whole.ended);
  return { isSame, ended, last: handed.at(-1) ?? [] };
}

it('a loop with an observer named before it hands on a snapshot and a tail', () => {
  const { isSame, ended, last } = handedOn(loop(tells, ''));
  expect([isSame, ended]).toEqual([true, { kind: 'completed', output: { n: 40, told: 820 } }]);
  expect(last.filter(({ snapshot }) => snapshot !== undefined)).toHaveLength(1);
  expect(last.length).toBeLessThan(60);
});

it('a loop inside of deadlines hands on a snapshot and a tail', () => {
  const source = loop('', '').replace('Procedure {', 'Procedure { deadline = "30d",');
  // The timer is the first that it waits for, and is given no answer.
  const isTimer = ({ position }: { position: string }): boolean => position === '0';
  const { program, handed } = runFake(source, {
    handsOver: (effects) => effects > 0 && effects % 13 === 0,
    isLeft: isTimer,
  });
  expect(program.turn()).toEqual({ kind: 'completed', output: { n: 40 } });
  const last = handed.at(-1) ?? [];
  expect(last.filter(({ snapshot }) => snapshot !== undefined)).toHaveLength(1);
  expect(last.length).toBeLessThan(60);
});

it('a loop whose rounds name observers hands on its whole log', () => {
  const { isSame, ended, last } = handedOn(loop('', tells));
  expect([isSame, ended]).toMatchObject([true, { kind: 'completed', output: { n: 40 } }]);
  expect(last.filter(({ snapshot }) => snapshot !== undefined)).toEqual([]);

  expect(last).toHaveLength(3 * 39);
});
