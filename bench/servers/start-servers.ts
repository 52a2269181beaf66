import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

/** What all those servers take, none of which anybody else reaches: the storages look for it in the environment. */
const credentials = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'secret',
  COSMOS_KEY: Buffer.from('a key of tests alone').toString('base64'),
};

/** A process that has servers. It answers each line with one. */
interface ServersProcess {
  /** What it said first. */
  begun: unknown;
  /** Asks it to do something; what it says when it is done. */
  ask: (line: string) => Promise<string>;
  stop: () => Promise<void>;
}

/** The servers that storages are tested with, which `npm test` has fetched; gives addresses of storages in them, and what ends them. */
export async function startServers(): Promise<{ addresses: string[]; stop: () => Promise<void> }> {
  Object.assign(process.env, credentials);
  const { begun, stop } = await startProcess('main.ts');
  return { addresses: begun as string[], stop };
}

/** A Temporal server with a process for each service, a collector and Prometheus. */
export interface RolesProcess {
  address: string;
  /** A database in its PostgreSQL. */
  database: string;
  /** Names of the services. */
  parts: string[];
  /** Ports at which Prometheus looks for metrics of two workers and of `serve`. */
  metrics: number[];
  /** Where the collector takes traces. */
  traces: string;
  /** Kills a service, and starts it again. */
  restart: (part: string) => Promise<void>;
  /** Runs that ended and came to the collector as spans, and series that Prometheus has. */
  seen: () => Promise<{ runs: number; series: number }>;
  stop: () => Promise<void>;
}

/** Needs what `ROLES_TEST=required COLLECTOR_TEST=required npm test` has built. */
export async function startRoles(): Promise<RolesProcess> {
  const { begun, ask, stop } = await startProcess('roles.ts');
  return {
    ...(begun as Pick<RolesProcess, 'address' | 'database' | 'parts' | 'metrics' | 'traces'>),
    restart: async (part) => void (await ask(part)),
    seen: async () => JSON.parse(await ask('seen')) as { runs: number; series: number },
    stop,
  };
}

/** In a process of their own: they are written as tests are, which Node doesn't take as they stand. */
async function startProcess(entry: string): Promise<ServersProcess> {
  // Inside the project, as it loads packages and finds what the set-up got.
  const folder = mkdtempSync(join(root, '.toolchain', 'bench-servers-'));
  const outfile = join(folder, 'lib', 'main.mjs');
  const support = new URL('../../test/support/', import.meta.url);
  await build({
    entryPoints: [join(here, entry)],
    outfile,
    ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' },
    alias: { vitest: join(here, 'after-all.ts') },
    define: {
      'import.meta.url': JSON.stringify(support.href),
      'import.meta.dirname': JSON.stringify(fileURLToPath(support)),
    },
  });
  const servers = spawn(process.execPath, [outfile], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(servers, 'exit').then((): never => {
    throw new Error(`${entry} has ended`);
  });
  ended.catch(() => undefined);
  const lines = createInterface(servers.stdout);
  const line = async (): Promise<string> =>
    ((await Promise.race([once(lines, 'line'), ended])) as [string])[0];
  return {
    begun: JSON.parse(await line()) as unknown,
    async ask(text) {
      const answered = line();
      servers.stdin.write(`${text}\n`);
      return answered;
    },
    async stop() {
      servers.stdin.end();
      await ended.catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
