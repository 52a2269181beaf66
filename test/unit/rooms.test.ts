import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

/** What each file of a folder imports from it, types counted; a name for each file by `nameOf`. */
function importsIn(folder: string, nameOf: (file: string) => string): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['**/*.d.ts'] })) {
    const from = nameOf(file);
    const text = readFileSync(join(folder, file), 'utf8');
    const known = imports.get(from) ?? imports.set(from, new Set()).get(from);
    for (const [, name = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)\.js'/g)) {
      const path = relative(folder, join(folder, dirname(file), name));
      const to = existsSync(join(folder, `${path}.tsx`)) ? `${path}.tsx` : `${path}.ts`;
      if (!to.startsWith('..') && nameOf(to) !== from) known?.add(nameOf(to));
    }
  }
  return imports;
}

/** Groups of which each member leads to all others: Tarjan's strongly connected components, those of one left out. */
function ringsIn(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const rings: string[][] = [];
  const order = new Map<string, number>();
  const path: string[] = [];
  const visit = (name: string): number => {
    order.set(name, order.size);
    let low = order.get(name) as number;
    path.push(name);
    for (const next of imports.get(name) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (path.includes(next)) low = Math.min(low, order.get(next) as number);
    }
    if (low !== order.get(name)) return low;
    const ring = path.splice(path.indexOf(name));
    if (ring.length > 1) rings.push(ring.sort());
    return low;
  };
  for (const name of imports.keys()) if (!order.has(name)) visit(name);
  return rings;
}

describe('imports, types counted', () => {
  it('finds rings', () => {
    const imports = new Map([
      ['a', new Set(['b', 'd'])],
      ['b', new Set(['c'])],
      ['c', new Set(['a'])],
      ['d', new Set(['e'])],
      ['e', new Set<string>()],
    ]);
    expect(ringsIn(imports)).toEqual([['a', 'b', 'c']]);
  });

  it('make no ring of files', () => {
    const imports = importsIn(source, (file) => file);
    expect(imports.size).toBeGreaterThan(400);
    expect(imports.get('lua-bridge/program.ts')).toContain('lua-bridge/kernel/bridge.ts');
    expect(ringsIn(imports)).toEqual([]);
  });

  it.each(['.', 'lua-bridge'])('make no ring of the rooms in src/%s', (folder) => {
    const roomOf = (file: string): string => file.split('/')[0] ?? file;
    const imports = importsIn(join(source, folder), roomOf);
    expect(imports.size).toBeGreaterThan(10);
    expect(ringsIn(imports)).toEqual([]);
  });
});
