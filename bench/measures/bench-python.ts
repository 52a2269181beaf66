import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Of the set-up for tests, by its names. */
type Packages = 'pythonPackages' | 'pythonModels' | 'pytorch';

export interface BenchPython {
  python: string;
  env: NodeJS.ProcessEnv;
}

/** A Python with our package and those of the set-up for tests; null where the set-up hasn't got them. */
export function benchPython(...wanted: Packages[]): BenchPython | null {
  type Paths = Partial<Record<Packages, { python: string; packages: string } | null>>;
  const paths = JSON.parse(readFileSync(inRoot('.toolchain/paths.json'), 'utf8')) as Paths;
  const found = wanted.flatMap((name) => paths[name] ?? []);
  const [first] = found;
  if (first === undefined || found.length < wanted.length) return null;
  const path = [inRoot('python/src'), ...found.map(({ packages }) => packages)].join(delimiter);
  return { python: first.python, env: { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' } };
}

/** The path of a script in `bench/models`. */
export function benchScript(name: string): string {
  return inRoot(`bench/models/${name}`);
}
