import { TactusError } from '../contract/errors.js';
import type { LocalModelFiles } from '../activities/index.js';

/** Where the set-up put what isn't part of the package. */
export interface Toolchain {
  /** Temporal's command line with its development server; null where it couldn't be had. */
  temporal: string | null;
  localModel: LocalModelFiles | null;
}

interface PathsModule {
  readPaths: () => { temporal?: string | null; localModel?: LocalModelFiles | null };
}

interface SetUpModule {
  setUp: () => Promise<unknown>;
}

/** The set-up is plain JavaScript that runs before anything is compiled, so it is found by its place. */
const scripts = new URL('../../scripts/setup/', import.meta.url);

/** What the last set-up found; nothing where there was none. */
export async function readToolchain(): Promise<Toolchain> {
  const { readPaths } = (await import(new URL('paths.mjs', scripts).href)) as PathsModule;
  const { temporal = null, localModel = null } = readPaths();
  return { temporal, localModel };
}

/**
 * Temporal's executable; the set-up runs first where it never did, and says on stderr what it does.
 * @throws TactusError server_unreachable where it can't be had
 */
export async function requireTemporal(): Promise<string> {
  const known = (await readToolchain()).temporal;
  if (known !== null) return known;
  const { setUp } = (await import(new URL('set-up.mjs', scripts).href)) as SetUpModule;
  await setUp();
  const { temporal } = await readToolchain();
  if (temporal !== null) return temporal;
  throw new TactusError(
    'server_unreachable',
    "Temporal's development server isn't installed here: put a Temporal CLI on PATH and run the command again, or name a server with --address",
  );
}
