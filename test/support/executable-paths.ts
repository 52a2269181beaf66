import { readFileSync } from 'node:fs';

export interface ExecutablePaths {
  node: string;
  temporal: string;
  temporalTestServer: string;
  natsServer: string;
  /** Its folder; null where the set-up got none. */
  postgres?: string | null;
  /** Null where the set-up got none. */
  valkeyServer?: string | null;
}

/** The executables that the set-up got: no test uses a server that happens to run elsewhere. */
export function executablePaths(): ExecutablePaths {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as ExecutablePaths;
}
