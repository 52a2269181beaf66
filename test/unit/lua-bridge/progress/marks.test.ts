import { describe, expect, it } from 'vitest';
import type { Marks } from '../../../../src/contract/runs/marks.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

const marksOf = (body: string, engine?: number): Marks =>
  runFake(`Procedure { function(input)\n${body}\nend }`, engine === undefined ? {} : { engine }).program
    .marks;

describe('Procedure.label', () => {
  it('sets, changes and removes labels of the run', () => {
    expect(marksOf('Procedure.label("team", "crm") Procedure.label("b.c-d_e", "x=y, z")')).toEqual({
      labels: { team: 'crm', 'b.c-d_e': 'x=y, z' },
    });
    expect(marksOf('Procedure.label("team", "crm") Procedure.label("team", "ops")')).toEqual({
      labels: { team: 'ops' },
    });
    expect(marksOf('Procedure.label("team", "crm") Procedure.label("team", nil)')).toEqual({});
    expect(marksOf('Procedure.label("__proto__", "x")')).toEqual({});
  });

  it('lasts through a pass that ends, and is what the newest pass has set', () => {
    const source = `Procedure { function(input)
      if state.again then Procedure.label("second", "yes") return 1 end
      Sleep(1)
      state.again = true
      Procedure.label("first", "yes")
      Procedure.continue_as_new()
    end }`;
    const [pass] = runFake(source).passes;
    expect(pass).toMatchObject({ marks: { labels: { first: 'yes' } } });
    const { program } = runFake(source, pass === undefined ? {} : { pass });
    expect(program.marks).toEqual({ labels: { first: 'yes', second: 'yes' } });
  });

  it.each([
    ['Procedure.label()', 'the key of a label expected'],
    ['Procedure.label("team")', 'value expected'],
    ['Procedure.label("team", 7)', 'a text or nil expected'],
    ['Procedure.label("no key", "x")', 'is no key of a label'],
    [`Procedure.label(("k"):rep(64), "x")`, 'is no key of a label'],
    ['Procedure.label("team", "")', 'needs a text of 1 to 100 characters'],
    ['Procedure.label("team", ("x"):rep(101))', 'needs a text of 1 to 100 characters'],
    [`Procedure.label("team", 'a"b')`, 'without quotes'],
    ['Procedure.label("team", "a\\nb")', 'without quotes'],
    ['for i = 1, 21 do Procedure.label("k" .. i, "x") end', 'a run has at most 20 labels'],
  ])('%s is an error', (body, message) => expect(() => outputOf(body)).toThrow(message));

  it('takes another value for a label where there are 20', () => {
    const { labels } = marksOf('for i = 1, 40 do Procedure.label("k" .. i % 20, "v" .. i) end');
    expect(labels).toMatchObject({ k0: 'v40', k1: 'v21' });
  });

  it('is not there for runs of an older engine', () =>
    expect(outputOf('return type(Procedure.label)', { engine: 9 })).toBe('nil'));
});
