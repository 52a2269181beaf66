import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEntries, moduleOf } from '../../../scripts/build/package/modules.mjs';
import { planChunks } from '../../../scripts/build/package/plan-chunks.mjs';

interface Given {
  imports?: string[];
  loads?: string[];
  packages?: string[];
  acts?: boolean;
  code?: string;
}

function modulesOf(given: Record<string, Given>): Map<string, ReturnType<typeof moduleOf>> {
  const modules = Object.entries(given).map(([path, { code = 'code', ...found }]) => {
    const all = { imports: [], loads: [], packages: [], acts: false, ...found };
    return [path, moduleOf(path, code, all)] as const;
  });
  return new Map(modules);
}

const sorted = (chunks: string[][]): string[][] => chunks.toSorted((a, b) => (a.join() < b.join() ? -1 : 1));

describe('the entries of the package', () => {
  it('are the modules that nobody imports, and those that others name by their path', () => {
    const modules = modulesOf({
      'index.js': { imports: ['room/a.js'], loads: ['room/later.js'] },
      'room/a.js': {
        code: "import './b.js'; bundle(['room/named.js', 'room/nowhere.js']); start(join(dist, 'room', 'deep', 'joined.js')); place('beside.js')",
        imports: ['room/named.js', 'room/deep/joined.js', 'room/beside.js', 'room/b.js'],
      },
      'room/later.js': {},
      'room/b.js': {},
      'room/beside.js': {},
      'room/deep/joined.js': {},
      'room/named.js': {},
      'room/thread/main.js': {},
      'room/types.js': { code: '//# sourceMappingURL=types.js.map\n' },
    });
    expect(findEntries(modules)).toEqual([
      'index.js',
      'room/beside.js',
      'room/deep/joined.js',
      'room/named.js',
      'room/thread/main.js',
    ]);
  });
});

describe('which modules share a file', () => {
  it('is by who loads them', () => {
    const modules = modulesOf({
      'a/one.js': { imports: ['a/both.js', 'a/also.js'] },
      'a/two.js': { imports: ['a/both.js', 'a/also.js', 'a/own.js'] },
      'a/both.js': {},
      'a/also.js': {},
      'a/own.js': {},
    });
    expect(sorted(planChunks(modules, ['a/one.js', 'a/two.js'], 100))).toEqual([
      ['a/also.js', 'a/both.js'],
      ['a/one.js'],
      ['a/own.js', 'a/two.js'],
    ]);
  });

  it('joins the smallest with what costs least, until there are few enough', () => {
    const modules = modulesOf({
      'a/one.js': { imports: ['a/large.js', 'a/small.js'], packages: ['node:fs'] },
      'a/two.js': { imports: ['a/large.js'], packages: ['node:fs'] },
      'a/large.js': { code: 'x'.repeat(100) },
      'a/small.js': { code: 'x' },
    });
    const chunks = planChunks(modules, ['a/one.js', 'a/two.js'], 2);
    expect(sorted(chunks)).toEqual([
      ['a/large.js', 'a/two.js'],
      ['a/one.js', 'a/small.js'],
    ]);
  });

  it('gives nobody a package, a room or a module that acts, which they would not load otherwise', () => {
    const modules = modulesOf({
      'a/one.js': { loads: ['a/zod.js', 'b/room.js', 'a/acts.js', 'a/plain.js'], packages: ['node:fs'] },
      'a/zod.js': { packages: ['zod/v4'] },
      'b/room.js': {},
      'a/acts.js': { acts: true },
      'a/plain.js': { packages: ['node:path'] },
    });
    const chunks = planChunks(modules, ['a/one.js'], 1);
    expect(sorted(chunks)).toEqual([['a/acts.js'], ['a/one.js', 'a/plain.js'], ['a/zod.js'], ['b/room.js']]);
  });

  it('gives an entry nothing more that needs nothing of Node', () => {
    const modules = modulesOf({
      'a/workflow.js': { imports: ['a/both.js'] },
      'a/client.js': { imports: ['a/both.js', 'a/own.js'], packages: ['node:fs'] },
      'a/both.js': {},
      'a/own.js': {},
    });
    const chunks = planChunks(modules, ['a/workflow.js', 'a/client.js'], 1);
    expect(sorted(chunks)).toEqual([
      ['a/both.js', 'a/workflow.js'],
      ['a/client.js', 'a/own.js'],
    ]);
  });

  it('never has files import each other in a ring, nor has an entry load a package for nothing', () => {
    const graph = fc.integer({ min: 2, max: 25 }).chain((size) =>
      fc.array(
        fc.record({
          imports: fc.uniqueArray(fc.nat(size - 1), { maxLength: 4 }),
          packages: fc.uniqueArray(fc.constantFrom('p', 'q', 'node:fs'), { maxLength: 1 }),
          bytes: fc.nat(50),
        }),
        { minLength: size, maxLength: size },
      ),
    );
    fc.assert(
      fc.property(
        graph,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        (given, most, starts) => {
          const name = (index: number): string => `room/${index}.js`;
          const modules = modulesOf(
            Object.fromEntries(
              given.map(({ imports, packages, bytes }, index) => [
                name(index),
                // Rings there are none of among modules either.
                {
                  imports: imports.filter((each) => each > index).map(name),
                  packages,
                  code: 'x'.repeat(bytes),
                },
              ]),
            ),
          );
          const entries = [...modules.keys()].slice(0, starts);
          const chunks = planChunks(modules, entries, most);
          const chunkOf = new Map(chunks.flatMap((chunk) => chunk.map((path) => [path, chunk] as const)));
          expect(chunkOf.size).toBe(chunks.flat().length);
          const below = (chunk: string[], above: string[][] = []): string[][] => {
            expect(above).not.toContain(chunk);
            const next = chunk
              .flatMap((path) => modules.get(path)?.imports ?? [])
              .map((path) => chunkOf.get(path) ?? []);
            const others = [...new Set(next)].filter((each) => each !== chunk);
            return [chunk, ...others.flatMap((each) => below(each, [...above, chunk]))];
          };
          const needed = (path: string): string[] => [
            path,
            ...(modules.get(path)?.imports ?? []).flatMap((each) => needed(each)),
          ];
          const labels = (paths: string[]): Set<string> =>
            new Set(paths.flatMap((path) => modules.get(path)?.labels ?? []));
          for (const entry of entries) {
            const loaded = below(chunkOf.get(entry) ?? []).flat();
            expect(labels(loaded)).toEqual(labels(needed(entry)));
            if (!labels(loaded).has('node:')) expect(new Set(loaded)).toEqual(new Set(needed(entry)));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
