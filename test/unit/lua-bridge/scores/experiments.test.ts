import { describe, expect, it } from 'vitest';
import { variantFor } from '../../../../src/contract/scores/experiment.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

const main = (body: string): string => `Procedure { function(input)\n${body}\nend }`;
const chosen = variantFor('tone', 'run', { plain: 1, warm: 1 });
const other = chosen === 'warm' ? 'plain' : 'warm';

describe('Experiment.variant', () => {
  it('is a checkpoint, and a mark of the run', () => {
    const { program, ended } = runFake(main('return Experiment.variant("tone", {"plain", "warm"})'));
    expect(ended).toEqual({ kind: 'completed', output: chosen });
    expect(program.marks).toEqual({ variants: { tone: chosen } });
    expect(program.log.entries).toMatchObject([
      { type: 'experiment', name: 'tone', input: { variants: { plain: 1, warm: 1 } } },
    ]);
  });

  it('is the same in a whole run, whatever weights it is asked with later', () => {
    const body = `local first = Experiment.variant("tone", {"plain", "warm"})
      return { first, Experiment.variant("tone", { ${chosen} = 1, ${other} = 100000 }) }`;
    expect(outputOf(body)).toEqual([chosen, chosen]);
  });

  it('is what the log has, also where the source has other weights, and never one that is gone', () => {
    const { program } = runFake(main('return Experiment.variant("tone", {"plain", "warm"})'));
    const carried = program.log.entries.map((entry) => ({
      ...entry,
      outcome: { ok: true, value: other } as const,
    }));
    const again = (variants: string) =>
      runFake(main(`return Experiment.variant("tone", ${variants})`), { carried }).ended;
    expect(again('{"plain", "warm", "new"}')).toEqual({ kind: 'completed', output: other });
    expect(again(`{"${chosen}", "new"}`)).toMatchObject({ kind: 'failed', error: { code: 'lua_error' } });
  });

  it('is what a mock says', () => {
    const source = `Mocks { tone = { returns = "${other}" } }\n${main('return Experiment.variant("tone", {"plain", "warm"})')}`;
    const mock = { all: true, agents: {}, results: {}, people: null };
    expect(runFake(source, { mock }).ended).toEqual({ kind: 'completed', output: other });
  });

  it.each([
    ['Experiment.variant("tone", "plain")', 'table expected'],
    ['Experiment.variant("no name", {"a", "b"})', 'takes a name'],
    ['Experiment.variant("tone", {"a"})', 'takes 2 to 20 variants'],
    ['Experiment.variant("tone", {"a", "a"})', 'has the variant a twice'],
    ['Experiment.variant("tone", {a = 1, b = 0})', 'needs a weight above 0 for b'],
    ['Experiment.variant("tone", {a = 1, b = "x"})', 'needs a weight above 0 for b'],
    ['Experiment.variant("tone", {"a", 7})', 'names of variants'],
    ['for i = 1, 21 do Experiment.variant("t" .. i, {"a", "b"}) end', 'at most 20 experiments'],
  ])('%s is an error', (body, message) => expect(() => outputOf(body)).toThrow(message));

  it('is not there for runs of an older engine', () =>
    expect(outputOf('return type(Experiment) .. type(Procedure.score)', { engine: 9 })).toBe('nilnil'));
});

describe('Procedure.score', () => {
  it('is a checkpoint each, and the newest of a name is a mark of the run', () => {
    const { program } = runFake(
      main(
        'Procedure.score("q", 1, {comment = "so so"}) Procedure.score("q", 2.5) Procedure.score("ok", true)',
      ),
    );
    expect(program.log.entries).toMatchObject([
      { type: 'score', name: 'q', input: { value: 1, comment: 'so so' } },
      { type: 'score', name: 'q', input: { value: 2.5 } },
      { type: 'score', name: 'ok', input: { value: true } },
    ]);
    expect(program.marks.scores).toMatchObject({ q: { value: 2.5 }, ok: { value: true } });
  });

  it.each([
    ['Procedure.score("q")', 'value expected'],
    ['Procedure.score("no name", 1)', 'its name has letters'],
    ['Procedure.score("q", "good")', 'its value is a number'],
    ['Procedure.score("q", 1, {by = "ann"})', 'takes a table of comment alone'],
    ['Procedure.score("q", 1, {comment = ("x"):rep(1001)})', 'its comment'],
    ['for i = 1, 21 do Procedure.score("q" .. i, 1) end', 'at most 20 names'],
  ])('%s is an error', (body, message) => expect(() => outputOf(body)).toThrow(message));
});
