import { join } from 'node:path';
import { pythonPackages } from './python-packages.mjs';

/** What reads the models that the worker in Python is tested with: scikit-learn, skops and joblib. */
export function pythonModelsStep() {
  return pythonPackages({
    package: 'scikit-learn',
    requirements: 'python-models.txt',
    leastPython: '3.10',
    files: ['sklearn', 'skops', 'joblib', 'numpy', 'scipy'].map((name) => join(name, '__init__.py')),
  });
}
