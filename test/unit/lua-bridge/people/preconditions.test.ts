import { describe, expect, it } from 'vitest';
import type { HumanAnswer, HumanAsk } from '../../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { fakeProgram, runFake, type FakeRun, type Perform } from '../../../support/fake-host.js';

const answered = (value: JsonValue): HumanAnswer => ({ value, timed_out: false, by: 'ann', comment: null });

/** Answers all requests, each with what `answer` gives for it; keeps what was asked. */
function asking(answer: (ask: HumanAsk) => HumanAnswer): { asked: HumanAsk[]; perform: Perform } {
  const asked: HumanAsk[] = [];
  const perform: Perform = (effect) => {
    if (effect.kind !== 'human') return true;
    asked.push(effect.ask);
    return answer(effect.ask) as unknown as JsonValue;
  };
  return { asked, perform };
}

function output({ ended }: FakeRun): JsonValue {
  if (ended?.kind !== 'completed') throw ended?.error ?? new Error('it waits');
  return ended.output;
}

/** Its balance is read from a list, one after the other. */
const withBalances = (balances: string, call: string): string => `
  local balances, reads = {${balances}}, 0
  local function balance() reads = reads + 1; return { balance = balances[reads] or balances[#balances] } end
  local request = { message = "Pay?", preconditions = balance }
  local answer = ${call}
  return { answer = answer, reads = reads, isKept = type(request.preconditions) }
`;

describe('a decision is bound to its preconditions', () => {
  it('and counts where they still hold', () => {
    const { asked, perform } = asking(() => answered(true));
    const run = runFake(withBalances('5', 'Human.approve(request)'), { perform });
    expect(output(run)).toEqual({ answer: true, reads: 2, isKept: 'function' });
    expect(asked.map(({ metadata, before }) => [metadata, before])).toEqual([
      [{ preconditions: { balance: 5 } }, undefined],
    ]);
  });

  it('and is asked for anew where they have changed, with what they were', () => {
    const { asked, perform } = asking(() => answered(true));
    const run = runFake(withBalances('5, 4, 4', 'Human.approve(request)'), { perform });
    expect(output(run)).toMatchObject({ answer: true, reads: 3 });
    expect(asked.map(({ metadata, before }) => [metadata, before])).toEqual([
      [{ preconditions: { balance: 5 } }, undefined],
      [{ preconditions: { balance: 4 } }, { balance: 5 }],
    ]);
  });

  it('but a no stays one', () => {
    const { asked, perform } = asking(() => answered(false));
    const run = runFake(withBalances('5, 4', 'Human.approve(request)'), { perform });
    expect(output(run)).toMatchObject({ answer: false, reads: 1 });
    expect(asked).toHaveLength(1);
  });

  it('also one that a default gives when the time is over', () => {
    const { asked, perform } = asking(() => ({ ...answered(true), timed_out: true, by: null }));
    const call = 'Human.approve{message = "Pay?", timeout = 60, default = true, preconditions = balance}';
    expect(output(runFake(withBalances('5, 4, 4', call), { perform }))).toMatchObject({ answer: true });
    expect(asked).toHaveLength(2);
  });

  it('of every kind that leads on', () => {
    const { asked, perform } = asking(() => answered('blue'));
    const run = runFake(withBalances('5, 4, 4', 'Human.input(request)'), { perform });
    expect(output(run)).toMatchObject({ answer: 'blue' });
    expect(asked).toHaveLength(2);
  });

  it('which may be asked of the outside', () => {
    const { asked, perform } = asking(() => answered(true));
    const source = `
      local function there() return { there = File.exists("a.txt") } end
      return Human.approve{ message = "Overwrite?", preconditions = there }
    `;
    const run = runFake(source, { perform });
    expect(output(run)).toBe(true);
    expect(run.performed).toEqual(['file 0', 'hitl_approval 1', 'file 2']);
    expect(asked[0]?.metadata).toEqual({ preconditions: { there: true } });
  });

  it('but not for ever', () => {
    const { asked, perform } = asking(() => answered(true));
    const source = `
      local n = 0
      return Human.approve{ message = "x", preconditions = function() n = n + 1; return n end }
    `;
    expect(runFake(source, { perform }).ended).toMatchObject({
      error: { code: 'human_request_invalid', message: expect.stringContaining('100 times') as string },
    });
    expect(asked).toHaveLength(100);
  });

  it('and what goes wrong in their function is its error', () => {
    const source = 'return Human.approve{ message = "x", preconditions = function() error("no bank") end }';
    const { ended, performed } = runFake(source);
    expect(performed).toEqual([]);
    expect(ended).toMatchObject({
      error: { message: expect.stringContaining('main.tac:1: no bank') as string },
    });
  });

  it('as a value, which is shown and never asked again', () => {
    const turn = fakeProgram('return Human.approve{ message = "x", preconditions = {a = 1} }').turn();
    expect(turn).toMatchObject({ asked: [{ effect: { ask: { metadata: { preconditions: { a: 1 } } } } }] });
  });

  it('in runs that began when there were none, not at all', () => {
    const source = 'return Human.approve{ message = "x", preconditions = function() end }';
    expect(runFake(source, { engine: 6 }).ended).toMatchObject({ kind: 'failed' });
  });
});
