import { describe, expect, it } from 'vitest';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { graphMermaid } from '../../../src/graph/graph-mermaid.js';
import { graphSource } from '../../../src/graph/index.js';
import { validateSource } from '../../../src/validation/index.js';
import { procedureOf } from '../../support/procedure-source.js';

const ask = 'Human.approve({ message = "x" })';
const times = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('\n');

/** Procedures that grow with a number, each in another way. */
const shapes: Record<string, (n: number) => string> = {
  'one if after the other': (n) => times(n, () => `if input.a then ${ask} else Log.info("y") end`),
  'all in one line': (n) => `if input.a then ${ask} end `.repeat(n),
  'ifs in each other': (n) => `${'if input.a then '.repeat(n / 4)}${ask}${' end'.repeat(n / 4)}`,
  'functions that call each other': (n) =>
    `${times(n, (i) => `function f${i}() ${i === 0 ? ask : `f${i - 1}()`} end`)}\nf${n - 1}()`,
  'functions that do nothing': (n) =>
    `${times(n, (i) => `function f${i}() ${i === 0 ? '' : `f${i - 1}()`} end`)}\n${times(n / 4, (i) => `if input.a then f${4 * i}() end`)}`,
  'labels, and ways to them': (n) => times(n, () => `do if input.a then goto l end ${ask} ::l:: end`),
  'many ways to one label': (n) => `${times(n, () => 'if input.a then goto l end')}\n${ask}\n::l::`,
  loops: (n) => times(n, () => `while input.a do ${ask} if input.b then break end end`),
  'functions that are handed over': (n) => times(n, () => `pcall(function() ${ask} end)`),
  errors: (n) => times(n, () => 'if input.a then error("x") end'),
};

/** The processor's time, in ms, whatever else the machine has to do: the least of several times. */
function cost(work: () => void, tries: number): number {
  const once = (): number => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  return Math.min(...Array.from({ length: tries }, once));
}

const works: Record<string, (source: ProcedureSource) => void> = {
  graph: (source) => {
    const graphed = graphSource(source);
    if ('graph' in graphed) graphMermaid(graphed.graph, source.entry);
  },
  validate: (source) => void validateSource(source),
};

describe.each(Object.entries(works))('%s takes eight times as long for eight times as much:', (_, work) => {
  it.each(Object.entries(shapes))('%s', (__, shape) => {
    const [small, large] = [procedureOf(shape(500)), procedureOf(shape(4_000))];
    // What grows with the square takes 64 times as long; processors that are shared may double what they count.
    const most =
      28 *
      Math.max(
        10,
        cost(() => work(small), 4),
      );
    expect(cost(() => work(large), 2)).toBeLessThan(most);
  });
});
