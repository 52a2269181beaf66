import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { Effect } from '../../../../src/contract/effects/effects.js';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import type { ToolInvocation } from '../../../../src/contract/tools/outside-tool.js';
import { procedureOf } from '../../../support/procedure-source.js';
import { fakeProgram, runStart } from '../../../support/fake-host.js';

const listed = {
  source: 'mcp.mine.dig',
  description: 'Digs',
  parameters: { type: 'object' },
  effect: 'once',
};
const ok = (value: JsonValue): Outcome => ({ ok: true, value });
const question = (name: string): JsonValue => ({
  [name]: { method: 'elicitation/create', params: { message: name, requestedSchema: { type: 'object' } } },
});

/** What was asked of workers, where they and people answer like this. */
function asked(
  attempts: Outcome[],
  people: JsonValue[] = [],
  { engine, how = {} }: { engine?: number; how?: JsonObject } = {},
): { calls: ToolInvocation[]; said: JsonValue } {
  const program = fakeProgram(
    procedureOf('return tostring(mcp.mine.dig({ deep = 1 }))').files['main.tac'] ?? '',
    engine === undefined ? {} : { engine },
  );
  const calls: ToolInvocation[] = [];
  const answer = (effect: Effect): Outcome => {
    if (effect.kind === 'tool_list') return ok({ 'mcp.mine.dig': { tools: [listed] } });
    if (effect.kind === 'human')
      return ok({
        value: people.shift() ?? null,
        by: 'ann',
        comment: null,
        timed_out: false,
        at: '',
        ...how,
      });
    if (effect.kind !== 'tool') throw new Error(effect.kind);
    calls.push(effect.invocation);
    return attempts.shift() ?? expect.unreachable('asked again');
  };
  for (let at = runStart; ; at += 1_000) {
    const turn = program.turn();
    if (turn.kind === 'completed') return { calls, said: turn.output };
    if (turn.kind === 'failed') return { calls, said: turn.error.message };
    const [request] = program.pending;
    if (request !== undefined) program.settle(request.position, answer(request.effect), at);
  }
}

describe('a call that becomes a task', () => {
  it('is followed for as long as it goes on, and not called again', () => {
    const goesOn = ok({ kind: 'task', task: 't' });
    const { calls, said } = asked([goesOn, goesOn, goesOn, ok({ kind: 'done', value: 'gold' })]);
    expect(said).toBe('gold');
    expect(calls.map(({ operation, task }) => [operation, task])).toEqual([
      ['call', undefined],
      ...Array.from({ length: 3 }, () => ['follow', 't']),
    ]);
  });

  it('is told all that people have said, but for what they said before it was one', () => {
    const asks = (name: string): Outcome =>
      ok({ kind: 'input_required', requests: question(name), state: null });
    const { calls } = asked(
      [asks('before'), ok({ kind: 'task', task: 't' }), asks('a'), asks('b'), ok({ kind: 'done', value: 1 })],
      [{ is: 'before' }, { is: 'a' }, { is: 'b' }],
    );
    const known = calls.map(({ operation, inputs }) => [operation, Object.keys(inputs?.responses ?? {})]);
    expect(known).toEqual([
      ['call', []],
      ['call', ['before']],
      ['follow', []],
      ['follow', ['a']],
      ['follow', ['a', 'b']],
    ]);
  });

  it('of which nobody knows, and which was not done, is called anew without what it was told', () => {
    const unknown: Outcome = { ok: false, code: 'outcome_unknown', message: 'gone' };
    const { calls, said } = asked(
      [
        ok({ kind: 'task', task: 't' }),
        ok({ kind: 'input_required', requests: question('a'), state: null }),
        unknown,
        ok({ kind: 'done', value: 'gold' }),
      ],
      [{ is: 'a' }, 'not_done'],
    );
    expect(said).toBe('gold');
    expect(calls.at(-1)).toEqual(calls[0]);
  });

  it('asks so often at most', () => {
    const asks = Array.from({ length: 21 }, (_, i) =>
      ok({ kind: 'input_required', requests: question(`q${i}`), state: null }),
    );
    const { calls, said } = asked(
      [ok({ kind: 'task', task: 't' }), ...asks],
      Array.from({ length: 20 }, () => 1),
    );
    expect(said).toContain('was asked 20 times, and asks again');
    expect(calls).toHaveLength(22);
  });

  it.each([
    ['a question that is taken back', {}, { withdrawn: true }, { action: 'cancel' }],
    ['one whose time is over', {}, { timed_out: true }, { action: 'cancel' }],
    ['one that is left by a person', {}, { value: 'decline' }, { action: 'decline' }],
    ['null as a value', {}, {}, { action: 'accept', content: null }],
    [
      'one that is taken back, in a run that began before',
      { engine: 8 },
      { withdrawn: true },
      { action: 'accept', content: null },
    ],
  ])('is told of %s', (_what, options, how, response) => {
    const attempts = [
      ok({ kind: 'input_required', requests: question('a'), state: null }),
      ok({ kind: 'done', value: 'gold' }),
    ];
    const { calls, said } = asked(attempts, [], { ...options, how });
    expect(said).toBe('gold');
    expect(calls[1]?.inputs?.responses).toEqual({ a: response });
  });
});
