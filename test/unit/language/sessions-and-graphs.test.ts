import { describe, expect, it } from 'vitest';
import { tableTypeOf } from '../../../src/language/signature.js';
import { language } from '../../../src/language/language.generated.js';
import { outputOf, runFake } from '../../support/fake-host.js';

/** What `types/` says of sessions and graphs is what the code reads and gives. */

const keysOf = (name: string): string[] => Object.keys(tableTypeOf(`tactus.${name}`)?.keys ?? {}).sort();

const sorted = (value: unknown): string[] => Object.keys(value as object).sort();

/** The keys that an error lists behind these words. */
function listedBy(source: string, words: string): string[] {
  const { ended } = runFake(source);
  const message = ended?.kind === 'failed' ? ended.error.message : '';
  const list = message.split(words)[1]?.split(/[\n(]/)[0] ?? `nothing in: ${message}`;
  return list
    .split(/, | and /)
    .map((each) => each.trim())
    .sort();
}

const inRun = (code: string): string => `Procedure { function() ${code} end }`;

describe('keys that are read', () => {
  it.each([
    ['GraphConfig', 'main = Graph { zz = 1 }', 'there are '],
    ['NodeResult', 'main = Graph { nodes = { a = function() return { zz = 1 } end } }', 'there are '],
    ['DurableLoopConfig', inRun('DurableLoop { zz = 1 }'), 'it has '],
    ['RestoreOptions', inRun('Session.restore(Session.snapshot(), { zz = 1 })'), 'it has '],
    ['SliceOptions', inRun('Session.slice("a", { zz = 1 })'), 'it has '],
  ])('of %s', (name, source, words) => {
    expect(listedBy(source, words)).toEqual(keysOf(name));
  });

  it.each([
    ['PlanSetup', 'Plan.setup { objective = "o", initial_steps = { "a" } }'],
    ['PlanSteps', 'Plan.setup { objective = "o" } Plan.add { steps = { "a" } }'],
    [
      'PlanUpdate',
      'Plan.setup { objective = "o", initial_steps = { "a" } } Plan.update { step_id = 1, title = "b", status = "done" }',
    ],
    ['PlanningToolsConfig', 'PlanningTools { strategy = "react" }'],
  ])('of %s', (name, code) => {
    for (const key of keysOf(name)) expect(code).toContain(`${key} = `);
    expect(outputOf(`${code} return 1`)).toBe(1);
  });
});

describe('keys that are given', () => {
  it.each([
    ['GraphSnapshot', 'return Graph { nodes = { a = function() return {} end } }({})'],
    ['Plan', 'return Plan.setup { objective = "o" }'],
    ['PlanStep', 'return Plan.setup { objective = "o", initial_steps = { "a" } }.steps[1]'],
    ['Restored', 'return Session.restore(Session.snapshot())'],
  ])('of %s', (name, code) => {
    // The first super-step has no parent.
    const optional = name === 'GraphSnapshot' ? ['parent_checkpoint_id'] : [];
    expect([...new Set([...sorted(outputOf(code)), ...optional])].sort()).toEqual(keysOf(name));
  });

  it('of SessionEvent', () => {
    const events = outputOf(`local seen = {}
      DurableLoop {
        checkpoint_on = function(event) seen[#seen + 1] = event return false end,
        body = function(_, session)
          Plan.setup { objective = "o", initial_steps = { "a", "b" } }
          Plan.add { steps = { "c" } }
          Plan.update { step_id = 1, title = "d", status = "done" }
          session.slice("Plan").clear()
          session.checkpoint("mine", 1)
          return 1
        end,
      }
      return seen`) as object[];
    expect([...new Set(events.flatMap(sorted))].sort()).toEqual(keysOf('SessionEvent'));
  });

  it('of Slice', () => {
    const verbs = (language.classes['tactus.Slice']?.fields ?? []).map(({ name }) => name);
    const types = outputOf(`local s, types = Session.slice("s"), {}
      for _, verb in ipairs(${`{ "${verbs.join('", "')}" }`}) do types[verb] = type(s[verb]) end
      return types`);
    expect(types).toEqual({
      ...Object.fromEntries(verbs.map((verb) => [verb, 'function'])),
      name: 'string',
    });
  });
});
