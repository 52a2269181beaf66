import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BesideLibrary } from './model-host.ts';
import type { TurnsInMemory } from './model-memory.ts';

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface PythonModels {
  models: { name: string; one: BesideLibrary; thousand: BesideLibrary }[];
  memory: TurnsInMemory;
}

/**
 * Models of scikit-learn in the process that the worker in Python has for them, beside the library alone.
 * @throws Error where the set-up for tests (`npm test`) hasn't got scikit-learn
 */
export function measurePythonModels(folder: string, rounds: number): PythonModels {
  const { pythonPackages, pythonModels } = JSON.parse(
    readFileSync(inRoot('.toolchain/paths.json'), 'utf8'),
  ) as Record<string, { python: string; packages: string } | null | undefined>;
  if (pythonPackages == null || pythonModels == null)
    throw new Error('scikit-learn is missing: `npm test` fetches it');
  const path = [inRoot('python/src'), pythonPackages.packages, pythonModels.packages].join(delimiter);
  const args = [inRoot('bench/models/sklearn_models.py'), folder, String(rounds)];
  const printed = execFileSync(pythonPackages.python, args, {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(printed) as PythonModels;
}
