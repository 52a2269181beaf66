import { expect, it } from 'vitest';
import type { HumanAsk } from '../../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { Program } from '../../../../src/lua-bridge/index.js';
import { TactusError } from '../../../../src/contract/errors.js';
import {
  answerOf,
  fakeProgram,
  programOptions,
  runFake,
  runStart,
  type FakeOptions,
  type Perform,
} from '../../../support/fake-host.js';

const settings = { onFailure: { approvers: ['ops'], timeout: '1d' } };
const fails = 'File.read("gone")';

/** Who is asked about what, answered in order and then by `give_up`, where files are read in vain; `output`: what the run gave, if anything. */
function run(
  source: string,
  answers: readonly JsonValue[] = [],
  options: FakeOptions = { settings },
): { asked: string[]; asks: HumanAsk[]; ended: unknown; logs: number } {
  const asks = new Map<string, HumanAsk>();
  const perform: Perform = (effect, request) => {
    if (effect.kind === 'file' && effect.operation === 'read') throw new TactusError('file_failed', 'gone');
    if (effect.kind !== 'human') return answerOf(effect, request);
    asks.set(request.position, effect.ask);
    return { value: answers[asks.size - 1] ?? 'give_up', by: 'zoe', comment: null, timed_out: false };
  };
  const { ended, handed } = runFake(source, { perform, ...options });
  const all = [...asks.values()];
  return { asks: all, ended, logs: handed.length, asked: all.map(({ message }) => message) };
}

const failed = { kind: 'failed', error: { code: 'file_failed' } };

it.each([
  ['a procedure', `Procedure { function() ${fails} end }`, "procedure 'main'"],
  ['a plain main function', `function main() ${fails} end`, "procedure 'main'"],
  ['tasks', `Task("load", { entry = function() ${fails} end })`, "task 'load'"],
])('asks when %s fails of which the source says nothing', (_, source, what) => {
  const { asks, ended } = run(source);
  expect(asks).toMatchObject([
    { message: `${what} failed. Try it again?`, approvers: ['ops'], timeoutMs: 86_400_000, byHost: true },
  ]);
  expect(ended).toMatchObject(failed);
  expect(run(source, [], {}).asks).toEqual([]);
  expect(run(source, [], { settings, engine: 9 }).asks).toEqual([]);
  expect(run(source, ['value', 7]).ended).toMatchObject({ kind: 'completed', output: 7 });
  expect(run(source, ['retry']).asked).toHaveLength(2);
});

it('has no say where the source says who is asked, or that nobody is', () => {
  const own = `Procedure { on_failure = { approvers = "ann" }, function() ${fails} end }`;
  expect(run(own).asks).toMatchObject([{ approvers: ['ann'], timeoutMs: null }]);
  const none = `Procedure { on_failure = false, function() ${fails} end }`;
  expect(run(none)).toMatchObject({ asked: [], ended: failed });
  const step = 'step("s", function() error("late") end, { on_failure = false })';
  expect(run(`Procedure { function() ${step} end }`).asked).toEqual([
    "procedure 'main' failed. Try it again?",
  ]);
});

it('asks nobody about a graph, a script and a scenario', () => {
  const graph = `main = Graph { nodes = { a = function() ${fails} end } }`;
  expect(run(graph)).toMatchObject({ asked: [], ended: { kind: 'failed' } });
  expect(run(fails)).toMatchObject({ asked: [], ended: failed });
  const program = new Program({
    ...programOptions(`Procedure { function() error("late") end }`, { settings }),
    scenario: [{ kind: 'run' }],
  });
  expect(program.turn().kind).not.toBe('blocked');
});

it('is refused before the procedure begins where nobody could be asked so', () => {
  const source = 'Procedure { function() File.write("a", "b") end }';
  const { ended, performed } = runFake(source, { settings: { onFailure: { timeout: 'soon' } } });
  expect(ended).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('timeout') as string },
  });
  expect(performed).toEqual([]);
});

const inner = `step("in", function() ${fails} end, { on_failure = "ask" })`;
const innerOnly = ["step 'in' failed. Try it again?"];
const sub = `local load = Procedure "load" { on_failure = "ask", function() ${inner} end }`;

it.each([
  ['a step', `Procedure { function() ${inner} end }`],
  [
    'a step in steps that ask too',
    `Procedure { function() step("out", function() ${inner} end, { on_failure = "ask" }) end }`,
  ],
  ['a step of another procedure', `${sub} Procedure { function() load() end }`],
  [
    'a step that compensates',
    `Procedure { function() defer("tidy", function() File.write("a", "b") end) ${inner} end }`,
  ],
  [
    'a branch',
    `Procedure { function() Parallel({ function() ${inner} end, function() Sleep(9000) end }) end }`,
  ],
  [
    'an error in other words',
    `Procedure { function() local ok, why = pcall(function() ${inner} end) error("no rows: " .. why) end }`,
  ],
])('what people have given up nobody is asked about again: %s', (_, source) => {
  const { asked, ended } = run(source);
  expect(asked).toEqual(innerOnly);
  expect(ended).toMatchObject({ kind: 'failed' });
  const handed = run(source, [], { settings, handsOver: () => true });
  expect(handed.asked).toEqual(innerOnly);
  expect(handed.logs).toBeGreaterThan(0);
});

it('asks about what fails after somebody has caught what was given up', () => {
  const source = `Procedure { function() pcall(function() ${inner} end) Sleep(1) error("late") end }`;
  expect(run(source).asked).toEqual([...innerOnly, "procedure 'main' failed. Try it again?"]);
  const again = `Procedure { function() pcall(function() ${inner} end) ${fails} end }`;
  expect(run(again).asked).toHaveLength(2);
});

const child = (call: string): string => `Procedure { function() ${call} end }`;

it.each([
  [
    'run',
    child('Procedure.run("child.tac")'),
    { ok: false, code: 'child_failed', message: 'gone' },
    'procedure',
  ],
  [
    'wait',
    child('Procedure.wait(Procedure.spawn("child.tac"))'),
    { id: 'run/1', status: 'failed', terminal: true, output: null, error: 'gone' },
    'children',
  ],
] as const)('asks nobody about a child run that was given up there: %s', (_, source, end, kind) => {
  const asksOf = (isGivenUp: boolean): boolean => {
    const program = fakeProgram(source, { settings });
    for (let i = 0; i < 4; i++) {
      const turn = program.turn();
      const [request] = program.pending;
      if (turn.kind !== 'blocked' || request === undefined) return false;
      if (request.effect.kind === 'human') return true;
      const ofChild = 'ok' in end ? { ...end, ...(isGivenUp ? { givenUp: true as const } : {}) } : null;
      const looked = { children: [{ ...end, ...(isGivenUp ? { given_up: true } : {}) }], complete: true };
      program.settle(
        request.position,
        request.effect.kind !== kind
          ? { ok: true, value: 'run/1' }
          : (ofChild ?? { ok: true, value: looked as unknown as JsonValue }),
        runStart + i,
      );
    }
    return false;
  };
  expect(asksOf(false)).toBe(true);
  expect(asksOf(true)).toBe(false);
});

it('tells whoever started the run that people have given up', () => {
  const ended = (source: string): boolean => {
    const program = fakeProgram(source, { settings });
    for (let i = 0; i < 9 && program.turn().kind === 'blocked'; i++)
      for (const { position, effect } of program.pending)
        program.settle(
          position,
          effect.kind === 'human'
            ? { ok: true, value: { value: 'give_up', by: null, comment: null, timed_out: false } }
            : { ok: false, code: 'file_failed', message: 'gone' },
          runStart + i,
        );
    expect(program.turn()).toMatchObject(failed);
    return program.hasGivenUp;
  };
  expect(ended(`Procedure { function() ${fails} end }`)).toBe(true);
  expect(ended(`Procedure { on_failure = false, function() ${inner} end }`)).toBe(true);
  expect(ended(`Procedure { on_failure = false, function() ${fails} end }`)).toBe(false);
});
