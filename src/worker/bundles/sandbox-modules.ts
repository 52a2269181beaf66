import { join } from 'node:path';

/**
 * Evaluated once for all workflows of a worker, and frozen, which saves each run its start and some 450 KB. They keep
 * nothing of a run outside of the objects that they make.
 */
const modules = [
  'lua-bridge/vm/fengari.generated.js',
  'lua-bridge/index.js',
  'contract/people/ledger.js',
  'contract/runs/start-input.js',
  'log/pack.js',
  'workflows/index.js',
];

/** Their paths below a folder of compiled files. */
export function preloadedModules(compiled: string): string[] {
  return modules.map((module) => join(compiled, module));
}

/**
 * What watches over procedures inside the workflow sandbox.
 * @param compiled folder of our compiled files
 */
export function interceptorModule(compiled: string): string {
  return join(compiled, 'workflows', 'interceptors.js');
}
