import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../dist/worker/server/embedded-server/free-port.js';
import { executablePaths } from '../../test/support/executable-paths.ts';

/** A broker with JetStream in a process of its own, and in a new folder. */
export async function openNatsBroker(): Promise<{ address: string; close(): Promise<void> }> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'nats-'));
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder];
  const server = spawn(executablePaths().natsServer, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface(server.stderr)) if (line.includes('Server is ready')) break;
  server.stderr.resume();
  return {
    address: `nats://127.0.0.1:${port}`,
    async close() {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
