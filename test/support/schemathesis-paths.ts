import { readFileSync } from 'node:fs';

export interface SchemathesisPaths {
  python: string;
  /** The folder of its Python packages. */
  packages: string;
}

/** Where the set-up put schemathesis; null where it could not be had. */
export function schemathesisPaths(): SchemathesisPaths | null {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  const { schemathesis } = JSON.parse(readFileSync(file, 'utf8')) as {
    schemathesis?: SchemathesisPaths | null;
  };
  return schemathesis ?? null;
}
