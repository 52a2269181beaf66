import { join } from 'node:path';
import { pythonPackages } from './python-packages.mjs';
import { say, stepLine } from '../report.mjs';

/** PyTorch and transformers, of which models are made and read: gigabytes, since what PyPI has for Linux is for GPUs too. */
export function pytorchStep() {
  return pythonPackages({
    package: 'torch',
    requirements: 'pytorch.txt',
    leastPython: '3.11',
    files: ['torch', 'transformers', 'onnxscript', 'datasets', 'numpy'].map((name) =>
      join(name, '__init__.py'),
    ),
    timeoutMs: 1_500_000,
    begin: () => say(stepLine('PyTorch', { detail: 'fetching 2.7 GB, which become 5 GB on disk …' })),
  });
}
