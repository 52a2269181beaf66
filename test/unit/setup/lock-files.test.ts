import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

function packagesOf(lockFile: string): Record<string, Entry> {
  const text = readFileSync(new URL(`../../../${lockFile}`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { packages: Record<string, Entry> }).packages;
}

/** Whether a package that asks for another finds it: beside itself, or in a folder above. */
function finds(packages: Record<string, Entry>, from: string, name: string): boolean {
  if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in packages) return true;
  if (from === '') return false;
  const above = from.lastIndexOf('/node_modules/');
  return finds(packages, above < 0 ? '' : from.slice(0, above), name);
}

const lockFiles = [
  'package-lock.json',
  'site/package-lock.json',
  'scripts/setup/local-model/package-lock.json',
];
describe.each(lockFiles)('%s', (lockFile) => {
  const packages = packagesOf(lockFile);

  it('names no registry', () => {
    expect(Object.keys(packages).filter((place) => packages[place]?.resolved !== undefined)).toEqual([]);
  });

  it('knows every package that another one asks for', () => {
    const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !finds(packages, place, name))
        .map((name) => `${place || 'the project'} asks for ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('what a worker in Python installs', () => {
  const read = (file: string): string =>
    readFileSync(new URL(`../../../python/${file}`, import.meta.url), 'utf8');
  const names = ['worker', 'sklearn', 'pytorch', 'transformers'] as const;

  /** Requirements of a lock: name, version and condition, with how many hashes each has. */
  const pinsIn = (name: string): { pin: string; hashes: number }[] =>
    read(`locks/${name}.txt`)
      .replaceAll('\\\n', '')
      .trim()
      .split('\n')
      .map((line) => ({
        pin: line.split('--hash=')[0]?.trim() ?? '',
        hashes: line.match(/--hash=sha256:[0-9a-f]{64}(?= |$)/g)?.length ?? 0,
      }));

  it.each(names)('is pinned with hashes, all of it: %s', (name) => {
    const pins = pinsIn(name);
    expect(pins.length).toBeGreaterThan(5);
    for (const { pin, hashes } of pins) {
      expect(pin).toMatch(/^[a-z\d-]+==[\w.]+( ; .+)?$/);
      expect(hashes).toBeGreaterThan(0);
    }
  });

  it('is of one version wherever it is', () => {
    const versions = new Map<string, Set<string>>();
    for (const { pin } of names.flatMap(pinsIn)) {
      const [package_ = '', rest = ''] = pin.split('==');
      const [version = '', condition = ''] = rest.split(' ; ');
      const key = `${package_} ; ${condition}`;
      versions.set(key, (versions.get(key) ?? new Set()).add(version));
    }
    expect([...versions].filter(([, all]) => all.size > 1)).toEqual([]);
  });

  it('is what the package says that it needs', () => {
    const project = read('pyproject.toml');
    const needed = (key: string): string[] =>
      [...(new RegExp(`^${key} = \\[(.*)\\]$`, 'm').exec(project)?.[1] ?? '').matchAll(/"([a-z\d-]+)/g)].map(
        ([, name = '']) => name,
      );
    for (const name of names) {
      const wanted = [...needed('dependencies'), ...(name === 'worker' ? [] : needed(name))];
      expect(wanted.length).toBeGreaterThan(0);
      const found = pinsIn(name).map(({ pin }) => pin.split('==')[0]);
      for (const each of wanted) expect(found).toContain(each);
    }
  });
});
