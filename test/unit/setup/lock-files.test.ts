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

describe.each(['package-lock.json', 'scripts/setup/local-model/package-lock.json'])('%s', (lockFile) => {
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
