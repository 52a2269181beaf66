import { describe, expect, it } from 'vitest';
import { TactusError } from '../../../../src/contract/errors.js';
import { answerOf, fakeProgram, runFake, runStart, type Perform } from '../../../support/fake-host.js';
import { stepsIn } from './research.js';

/** Three super-steps, the first two of which want something sent. */
const source = `main = Graph {
  channels = { list = Graph.append },
  nodes = {
    a = function() return { intents = { { type = "say", payload = 1 }, { type = "say", payload = 2 } }, next = "b" } end,
    b = function() Sleep(1) return { writes = { list = { "b" } }, intents = { { type = "tell", to = "ann" } }, next = "c" } end,
    c = function() Sleep(1) return { writes = { list = { "c" } } } end,
  },
}`;

describe('the outbox of a graph', () => {
  it('sends intents one after the other, once their super-step is recorded, and holds up no other', () => {
    const program = fakeProgram(source);
    program.turn();
    const open = (): string[] =>
      program.pending.map(({ effect, position }) =>
        effect.kind === 'intent' ? effect.key : `${effect.kind} ${position}`,
      );
    let at = runStart;
    const settle = (kind: string): void => {
      const request = program.pending.find(({ effect }) => effect.kind === kind);
      if (request === undefined) throw new Error(`no ${kind} is open`);
      program.settle(request.position, { ok: true, value: answerOf(request.effect, request) }, (at += 1_000));
      program.turn();
    };
    expect(open().sort()).toEqual(['run/1/0', 'sleep 0.0.2.0.0.0.0']);
    settle('sleep');
    expect(open().sort()).toEqual(['run/1/0', 'sleep 0.0.3.0.0.0.0']);
    settle('sleep');
    // The super-steps have ended, and the run has not.
    expect(open()).toEqual(['run/1/0']);
    for (const next of ['run/1/1', 'run/2/0']) {
      settle('intent');
      expect(open()).toEqual([next]);
    }
    settle('intent');
    expect(program.turn()).toEqual({ kind: 'completed', output: { list: ['b', 'c'] } });
    const intents = program.log.entries.filter(({ type }) => type === 'intent');
    expect(intents.map(({ position, input }) => [position, input])).toEqual([
      ['0.1.0', { key: 'run/1/0', type: 'say', payload: 1 }],
      ['0.1.1', { key: 'run/1/1', type: 'say', payload: 2 }],
      ['0.1.2', { key: 'run/2/0', type: 'tell', payload: null }],
    ]);
  });

  it('goes on from whatever part of its log is carried, and sends nothing twice', () => {
    const whole = runFake(source);
    const { entries } = whole.program.log;
    for (let cut = 0; cut <= entries.length; cut++) {
      const { ended, performed } = runFake(source, { carried: entries.slice(0, cut) });
      expect(ended, `cut at ${cut}`).toEqual(whole.ended);
      const before = entries.slice(0, cut).filter(({ type }) => type === 'intent').length;
      expect(
        performed.filter((each) => each.startsWith('intent')),
        `cut at ${cut}`,
      ).toHaveLength(3 - before);
    }
  });

  it('goes on where one can not be sent, and ends the run with nothing', () => {
    const perform: Perform = (effect, request) => {
      if (effect.kind === 'intent' && effect.key === 'run/1/0')
        throw new TactusError('delivery_failed', 'no answer in time');
      return answerOf(effect, request);
    };
    const { ended, performed } = runFake(source, { perform });
    expect(ended).toMatchObject({ kind: 'completed' });
    expect(performed.filter((each) => each.startsWith('intent'))).toHaveLength(3);
  });

  it('sends what was recorded before a node failed', () => {
    const failing = source.replace('c = function() Sleep(1)', 'c = function() error("boom")');
    const { ended, performed } = runFake(failing);
    expect(ended).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('boom') as string },
    });
    expect(performed.filter((each) => each.startsWith('intent'))).toHaveLength(3);
  });

  it('is part of what goes to the next super-step, as far as it is not sent', () => {
    const { program } = runFake(source);
    expect(stepsIn(program.log.entries).map(({ kept }) => kept['outbox'])).toMatchObject([
      { sent: 0, waiting: [] },
      { sent: 0, waiting: [{ key: 'run/1/0' }, { key: 'run/1/1' }] },
      {
        sent: expect.any(Number) as number,
        waiting: expect.arrayContaining([
          { key: 'run/2/0', intent: { type: 'tell', to: 'ann' }, from: 'main step 2 · b' },
        ]) as unknown[],
      },
      { sent: expect.any(Number) as number },
    ]);
  });

  it('lets no more than a hundred wait', () => {
    const many = `main = Graph { channels = { n = Graph.last }, max_steps = 20, nodes = { a = function(state)
      local n, list = (state.n or 0) + 1, {}
      for i = 1, 60 do list[i] = { type = "say", payload = i } end
      return { writes = { n = n }, intents = list, next = n < 4 and "a" or nil }
    end } }`;
    const { ended, performed, program } = runFake(many);
    expect(ended).toMatchObject({ kind: 'completed', output: { n: 4 } });
    expect(performed).toHaveLength(240);
    const waiting = stepsIn(program.log.entries).map(
      ({ kept }) => (kept['outbox'] as { waiting: unknown[] }).waiting.length,
    );
    expect(Math.max(...waiting)).toBeLessThan(160);
  });
});
