import { TactusError } from '../contract/errors.js';
import type { LocalModelFiles } from '../activities/index.js';

/** Where the set-up put what isn't part of the package. */
export interface Toolchain {
  /** Temporal's command line with its development server; null where it couldn't be had. */
  temporal: string | null;
  /** The server that skips time, for tests; null where it couldn't be had. */
  temporalTestServer: string | null;
  localModel: LocalModelFiles | null;
}

interface PathsModule {
  readPaths: () => Partial<Toolchain>;
}

interface SetUpModule {
  setUp: () => Promise<unknown>;
}

/** The set-up is plain JavaScript that runs before anything is compiled, so it is found by its place. */
const scripts = new URL('../../scripts/setup/', import.meta.url);

/** What the last set-up found; nothing where there was none. */
export async function readToolchain(): Promise<Toolchain> {
  const { readPaths } = (await import(new URL('paths.mjs', scripts).href)) as PathsModule;
  const { temporal = null, temporalTestServer = null, localModel = null } = readPaths();
  return { temporal, temporalTestServer, localModel };
}

/**
 * Temporal's executable; the set-up runs first where it never did, and says on stderr what it does.
 * @throws TactusError server_unreachable where it can't be had
 */
export async function requireTemporal(): Promise<string> {
  return requireExecutable(
    'temporal',
    "Temporal's development server isn't installed here: put a Temporal CLI on PATH and run the command again, or name a server with --address",
  );
}

/**
 * The executable of the server that skips time; the set-up runs first where it never did.
 * @throws TactusError server_unreachable where it can't be had
 */
export async function requireTemporalTestServer(): Promise<string> {
  return requireExecutable(
    'temporalTestServer',
    "Temporal's test server, which tests run on, isn't installed here and couldn't be had: see tactus-temporal doctor",
  );
}

async function requireExecutable(
  name: 'temporal' | 'temporalTestServer',
  otherwise: string,
): Promise<string> {
  const known = (await readToolchain())[name];
  if (known !== null) return known;
  const { setUp } = (await import(new URL('set-up.mjs', scripts).href)) as SetUpModule;
  await setUp();
  const found = (await readToolchain())[name];
  if (found !== null) return found;
  throw new TactusError('server_unreachable', otherwise);
}
