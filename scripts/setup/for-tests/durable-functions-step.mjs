import { join } from 'node:path';
import { pythonPackages } from './python-packages.mjs';

/** Amazon's own local runner of durable functions, which speaks that part of Lambda's API. */
export function durableFunctionsStep() {
  return pythonPackages({
    package: 'aws-durable-execution-sdk-python-testing',
    requirements: 'durable-functions.txt',
    leastPython: '3.11',
    files: [join('aws_durable_execution_sdk_python_testing', 'cli.py'), join('boto3', '__init__.py')],
  });
}
