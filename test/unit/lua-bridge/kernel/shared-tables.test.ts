import { describe, expect, it } from 'vitest';
import { newestEngine } from '../../../../src/contract/engine.js';
import {
  decodeUtf8,
  entriesOf,
  firstEntry,
  globalsOf,
  sizeOf,
  Table,
  type LuaState,
  type RunMeter,
} from '../../../../src/lua-bridge/kernel/index.js';
import { fakeProgram, outputOf } from '../../../support/fake-host.js';

interface Opened {
  L: LuaState;
  meter: RunMeter;
  kept: Map<object, unknown>;
}

function opened(text = 'return 1', engine = newestEngine): Opened {
  return (fakeProgram(text, { engine }) as unknown as { bridge: Opened }).bridge;
}

const libraries = ['string', 'table', 'math', 'utf8', 'coroutine', 'os'];

function tableOf({ L }: Opened, name: string): Table {
  if (name === '_G') return globalsOf(L);
  const found = [...entriesOf(globalsOf(L))].find(({ key }) => textOf(key.value) === name);
  if (!(found?.value instanceof Table)) throw new Error(`${name} is no table`);
  return found.value;
}

function textOf(held: unknown): string | null {
  return decodeUtf8((held as { realstring: Uint8Array }).realstring);
}

/** Names of what a table has by itself. */
const ownOf = (table: Table): string[] => [...table.strong.keys()].map((hash) => String(hash).slice(1));

/** What is live, as a look at the memory of the run charges it. */
function chargeOfLook({ L, meter }: Opened): number {
  const before = meter.used;
  meter.outOfHeap(L, 0);
  return meter.used - before;
}

const namesIn = (table: string): string =>
  `(function() local names = {} for name in pairs(${table}) do names[#names + 1] = tostring(name) end return names end)()`;

describe('tables that all states begin with', () => {
  it('have for themselves what is made for each state, and nothing else', () => {
    const [one, other] = [opened(), opened()];
    const own = Object.fromEntries(libraries.map((name) => [name, ownOf(tableOf(one, name)).toSorted()]));
    expect(own).toEqual({
      string: [],
      table: [],
      math: ['random', 'randomseed'],
      utf8: ['charpattern'],
      coroutine: ['resume', 'wrap'],
      // Nearly all of it is the clock of the run: it has all of it.
      os: ['clock', 'date', 'difftime', 'getenv', 'time', 'tmpname'],
    });
    for (const name of [...libraries, '_G']) {
      const [mine, others] = [tableOf(one, name), tableOf(other, name)];
      expect(mine.template).toBe(others.template);
      // A function that is the same in both could be shared as well.
      const shareable = [...mine.strong].filter(
        ([hash, { value }]) =>
          name !== 'os' && typeof value === 'function' && others.strong.get(hash)?.value === value,
      );
      expect(shareable.map(([hash]) => hash)).toEqual([]);
      // A template would keep the state that it is of.
      for (const shared of mine.template?.values() ?? [])
        expect(shared === null || ['function', 'number', 'boolean'].includes(typeof shared.value)).toBe(true);
    }
    expect(ownOf(globalsOf(one.L)).length).toBeLessThan(64);
  });

  it('are counted as what they were filled with', () => {
    const state = opened();
    const folded = chargeOfLook(state);
    const sizes = [...libraries, '_G'].map((name) => sizeOf(tableOf(state, name)));
    for (const name of [...libraries, '_G']) firstEntry(tableOf(state, name));
    expect(tableOf(state, 'string').template).toBe(null);
    expect([...libraries, '_G'].map((name) => tableOf(state, name).strong.size)).toEqual(sizes);
    expect(chargeOfLook(state)).toBe(folded);
  });

  it('cost the same, whether all entries were asked for before or not', () => {
    const usedBy = (text: string): number => {
      const program = fakeProgram(`local a, b ${text} return a`);
      expect(program.turn()).toMatchObject({ kind: 'completed' });
      return (program as unknown as { bridge: Opened }).bridge.meter.used;
    };
    for (const name of ['math', '_G']) {
      const [length, first] = [`a = #${name}`, `b = next(${name})`];
      expect(usedBy(`${length} ${first}`)).toBe(usedBy(`${first} ${length}`));
    }
  });

  it('have templates of their own for each engine that differs, and stay right for both', () => {
    const names = (engine: number): unknown => outputOf(`return ${namesIn('math')}`, { engine });
    const [old, newest] = [names(1), names(newestEngine)] as string[][];
    expect(newest).toContain('frexp');
    expect(old).not.toContain('frexp');
    expect([names(1), names(newestEngine)]).toEqual([old, newest]);
    expect(tableOf(opened('return 1', 1), 'math').template).not.toBe(tableOf(opened(), 'math').template);
  });

  it.each([
    [
      'added to',
      'string.trim = function() return 1 end math.tau = 7 mine = 1',
      'string.trim or math.tau or mine',
    ],
    [
      'assigned',
      'print = 1 Log = 2 type = 3 split = nil',
      'type(print) ~= "function" or type(split) ~= "function"',
    ],
    ['walked over and emptied', 'local all = _G for k in pairs(all) do all[k] = nil end', 'print == nil'],
    ['told of by next', 'next(math) next(_G) mine = next(string)', 'mine ~= nil'],
  ])('stay as they are for others where one run has them %s', (_, change, isSeen) => {
    const names = `return {${namesIn('_G')}, ${namesIn('string')}, ${namesIn('math')}}`;
    const before = outputOf(names);
    const look = `return (${isSeen}) and true or false`;
    const underWay = fakeProgram(look);
    outputOf(`${change} return 1`);
    expect(underWay.turn()).toMatchObject({ output: false });
    expect(outputOf(look)).toBe(false);
    expect(outputOf(names)).toEqual(before);
  });

  it('keep the order of what they began with, before what was added, whatever was asked for first', () => {
    const all = outputOf(`return ${namesIn('_G')}`) as string[];
    expect(outputOf(`own = 1 local a, b = tostring, assert own2 = 2 return ${namesIn('_G')}`)).toEqual([
      ...all,
      'own',
      'own2',
    ]);
    // A name that is taken away and set again stands behind the others; one that is replaced keeps its place.
    expect(outputOf(`own = 1 next = nil print = 5 next = 3 return ${namesIn('_G')}`)).toEqual([
      ...all.filter((name) => name !== 'next'),
      'own',
      'next',
    ]);
    expect(outputOf(`own = 1 own = nil other = 2 return ${namesIn('_G')}`)).toEqual([...all, 'other']);
  });

  it('are read-only where they were', () => {
    const refused = 'string.len = nil';
    expect(outputOf(`return select(2, pcall(function() ${refused} end))`)).toMatch(
      /the library string is read-only/,
    );
    expect(
      outputOf(
        `string.own = 1 for k in pairs(string) do end return select(2, pcall(function() ${refused} end))`,
      ),
    ).toMatch(/the library string is read-only/);
  });
});

describe('global functions', () => {
  it('are made for a run when it first calls one', () => {
    const program = fakeProgram('local mine = Sleep Specification "Feature: a" return 1');
    const { kept } = (program as unknown as { bridge: Opened }).bridge;
    const isMade = (name: string): boolean =>
      [...kept.values()].some((each) => Object.hasOwn(each as object, name));
    expect([isMade('Specification'), isMade('Sleep')]).toEqual([false, false]);
    expect(program.turn()).toMatchObject({ kind: 'completed' });
    expect([isMade('Specification'), isMade('Sleep')]).toEqual([true, false]);
  });

  it('are the same value all the time, and under two names where they were', () => {
    const text =
      'local before = print print("a") return {before == print, Prompt == prompt, checkpoint == Step.checkpoint}';
    expect(outputOf(text)).toEqual([true, true, true]);
  });

  it('act for the run that calls them, though two take turns', () => {
    const programs = ['a', 'b'].map((name) =>
      fakeProgram(`default_model("${name}") print("${name}") return Prompt("p", "${name}")`),
    );
    const ended = programs.map((program) => program.turn());
    expect(ended).toMatchObject([{ output: 'a' }, { output: 'b' }]);
    expect(programs.map(({ shown }) => shown.map((line) => 'text' in line && line.text))).toEqual([
      ['a'],
      ['b'],
    ]);
  });
});
