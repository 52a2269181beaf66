import { execFileSync } from 'node:child_process';
import { benchPython, benchScript } from './bench-python.ts';
import type { BesideLibrary } from './model-host.ts';
import type { TurnsInMemory } from './model-memory.ts';

interface PythonModels {
  models: { name: string; one: BesideLibrary; thousand: BesideLibrary }[];
  memory: TurnsInMemory;
}

/**
 * Models of scikit-learn in the process that the worker in Python has for them, beside the library alone.
 * @throws Error where the set-up for tests (`npm test`) hasn't got scikit-learn
 */
export function measurePythonModels(folder: string, rounds: number): PythonModels {
  const found = benchPython('pythonPackages', 'pythonModels');
  if (found === null) throw new Error('scikit-learn is missing: `npm test` fetches it');
  const args = [benchScript('sklearn_models.py'), folder, String(rounds)];
  const printed = execFileSync(found.python, args, { encoding: 'utf8', env: found.env });
  return JSON.parse(printed) as PythonModels;
}
