import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const project = resolve(import.meta.dirname, '../..');
const source = join(project, 'src');

/** What is imported for its types alone, and what comments say. */
const typesAlone = /\/\*[\s\S]*?\*\/|\b(?:im|ex)port type [^;]*;/g;

/** What each file below some folders imports from there, types counted unless they are not to be; a name for each file by `nameOf`. */
function importsIn(
  root: string,
  folders: readonly string[],
  nameOf: (file: string) => string,
  countsTypes = true,
): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  const patterns = folders.map((folder) => join(folder, '**/*.{ts,tsx,js,mjs}'));
  for (const file of globSync(patterns, { cwd: root, exclude: ['**/*.d.ts', '**/*.generated.js'] })) {
    const from = nameOf(file);
    const whole = readFileSync(join(root, file), 'utf8');
    const text = countsTypes ? whole : whole.replace(typesAlone, '');
    const known = imports.get(from) ?? imports.set(from, new Set()).get(from);
    for (const [, name = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)) {
      const path = join(dirname(file), name);
      const written = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path];
      const to = written.find((each) => existsSync(join(root, each)));
      if (to !== undefined && !to.startsWith('..') && nameOf(to) !== from) known?.add(nameOf(to));
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
    const imports = importsIn(source, ['.'], (file) => file);
    expect(imports.size).toBeGreaterThan(400);
    expect(imports.get('lua-bridge/program.ts')).toContain('lua-bridge/kernel/index.ts');
    expect(ringsIn(imports)).toEqual([]);
  });

  it.each(['.', 'lua-bridge'])('make no ring of the rooms in src/%s', (folder) => {
    const roomOf = (file: string): string => file.split('/')[0] ?? file;
    const imports = importsIn(join(source, folder), ['.'], roomOf);
    expect(imports.size).toBeGreaterThan(10);
    expect(ringsIn(imports)).toEqual([]);
  });
});

it('imports of all files, types left out, make no ring', () => {
  const imports = importsIn(project, ['src', 'test', 'scripts', 'bench', 'bin'], (file) => file, false);
  expect(imports.size).toBeGreaterThan(1_000);
  expect(imports.get('scripts/setup.mjs')).toContain('scripts/setup/set-up.mjs');
  expect(imports.get('test/support/test-worker.ts')).toContain('src/worker/create-tactus-worker.ts');
  expect(ringsIn(imports)).toEqual([]);
});

describe('folders of rooms', () => {
  const contributing = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8');
  const [, capabilities = '', ofRooms = ''] =
    /### One name for one capability\n([\s\S]*?)\nWhat belongs to no capability([\s\S]*?)\n\n[^|\n]/.exec(
      contributing,
    ) ?? [];
  const named = [...capabilities.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name ?? '');
  const own = new Map(
    [...ofRooms.matchAll(/^\| `([a-z-]+)` +\| (.*) \|$/gm)].map(([, room = '', folders = '']) => [
      room,
      [...folders.matchAll(/`([a-z\d-]+)`/g)].map(([, name]) => name ?? ''),
    ]),
  );
  const rooms = [
    ...['contract', 'lua-bridge', 'workflows', 'activities', 'client', 'worker'],
    ...['validation', 'testing', 'server', 'page', 'cli'],
  ];
  const foldersOf = (room: string): string[] =>
    readdirSync(join(source, room), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);

  it.each(rooms)('src/%s has capabilities of CONTRIBUTING.md, and what is listed for it', (room) => {
    const known = [...named, ...(own.get(room) ?? [])];
    expect(foldersOf(room).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('are all there', () => {
    const all = rooms.flatMap(foldersOf);
    expect(named.filter((name) => !all.includes(name))).toEqual([]);
    for (const [room, folders] of own) expect(foldersOf(room)).toEqual(expect.arrayContaining(folders));
  });
});
