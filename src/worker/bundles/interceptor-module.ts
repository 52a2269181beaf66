import { join } from 'node:path';

/**
 * What watches over procedures inside the workflow sandbox.
 * @param compiled folder of our compiled files
 */
export function interceptorModule(compiled: string): string {
  return join(compiled, 'workflows', 'interceptors.js');
}
