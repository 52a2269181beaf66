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

/**
 * The servers that storages are tested with, which `npm test` has fetched, in a process of their own; gives addresses of storages in them, and what ends them.
 * They are written as tests are, which Node doesn't take as they stand.
 */
export async function startServers(): Promise<{ addresses: string[]; stop: () => Promise<void> }> {
  // Inside the project, as it loads packages and finds what the set-up got.
  const folder = mkdtempSync(join(root, '.toolchain', 'bench-servers-'));
  const outfile = join(folder, 'lib', 'main.mjs');
  await build({
    entryPoints: [join(here, 'main.ts')],
    outfile,
    ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' },
    alias: { vitest: join(here, 'after-all.ts') },
    define: { 'import.meta.url': JSON.stringify(new URL('../../test/support/', import.meta.url).href) },
  });
  Object.assign(process.env, credentials);
  const servers = spawn(process.execPath, [outfile], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(servers, 'exit');
  const lines = createInterface(servers.stdout);
  const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => ['[]'])])) as [string];
  return {
    addresses: JSON.parse(line) as string[],
    async stop() {
      servers.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
