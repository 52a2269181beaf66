import { readFileSync } from 'node:fs';

export interface LupaPaths {
  python: string;
  /** The folder of its Python package. */
  packages: string;
}

/** Where the set-up put the Lua of the reference; null where it could not be had. */
export function lupaPaths(): LupaPaths | null {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  const { lupa } = JSON.parse(readFileSync(file, 'utf8')) as { lupa?: LupaPaths | null };
  return lupa ?? null;
}
