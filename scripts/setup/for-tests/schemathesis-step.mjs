import { join } from 'node:path';
import { pythonPackages } from './python-packages.mjs';

/** A library of Python that makes up requests by an OpenAPI document: the tests try the HTTP API with it. */
export function schemathesisStep() {
  return pythonPackages({
    package: 'schemathesis',
    requirements: 'schemathesis.txt',
    leastPython: '3.11',
    files: [join('schemathesis', '__init__.py')],
  });
}
