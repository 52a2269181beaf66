import { join } from 'node:path';
import { pythonPackages } from './python-packages.mjs';

/** What the package for Python needs, what builds its wheel, and what checks it: Temporal's SDK, flit, mypy and ruff. */
export function pythonStep() {
  return pythonPackages({
    package: 'temporalio',
    requirements: 'python.txt',
    leastPython: '3.10',
    files: ['temporalio', 'pydantic', 'flit_core', 'mypy'].map((name) => join(name, '__init__.py')),
  });
}
