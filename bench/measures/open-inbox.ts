import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRunIndex, TactusClient } from '../../dist/index.js';
import { createTactusWorker } from '../../dist/worker.js';
import type { Stage } from '../stage.ts';

/** `serve`, and runs that ask. */
export interface Inbox {
  url: string;
  token: string;
  /** From the first start until all of them were in the index. */
  filledMs: number;
  close(): Promise<void>;
}

const bin = fileURLToPath(new URL('../../bin/tactus-temporal.mjs', import.meta.url));
const atOnce = 40;
const taskQueue = 'bench-inbox';
/** As long as a person's request may be. */
const context = 'x'.repeat(500);

export function runIdOf(n: number): string {
  return `order-${String(n).padStart(6, '0')}`;
}

/** So many runs, each with one request, of 20 procedures for 50 people. */
export async function openInbox(stage: Stage, runs: number): Promise<Inbox> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-inbox-'));
  const place = join(folder, 'index.sqlite');
  const index = await openRunIndex(place);
  const worker = await createTactusWorker({
    ...{ connection: stage.env.nativeConnection, taskQueue, index },
    activities: { env: {}, filesRoot: folder, procedureFolders: [] },
    // Of so many runs most have left the memory of a worker.
    worker: { maxCachedWorkflows: 500 },
  });
  const working = worker.run();
  const tactus = new TactusClient(stage.env.client, { taskQueue });
  const begun = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < runs) {
      const n = next++;
      await tactus.start(sourceOf(n), { n, context }, { runId: runIdOf(n) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  while ((await index.counts()).requests < runs) await pause(200);
  const filledMs = performance.now() - begun;
  const { address } = stage.env;
  const { url, token, stop } = await serve(folder, place, address);
  return {
    ...{ url, token, filledMs },
    close: async () => {
      await stop();
      worker.shutdown();
      await working;
      await index.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sourceOf(n: number) {
  const entry = `p${n % 20}.tac`;
  const text = `Procedure {
  input = { n = field.integer{required = true}, context = field.string{required = true} },
  function(input)
    return Human.approve{
      message = "May order " .. input.n .. " be paid?",
      context = { order = input.n, text = input.context },
      approvers = { "person-" .. input.n % 50 },
    }
  end
}`;
  return { entry, files: { [entry]: text } };
}

async function serve(
  folder: string,
  index: string,
  address: string,
): Promise<{ url: string; token: string; stop: () => Promise<void> }> {
  const token = randomBytes(16).toString('hex');
  const hash = createHash('sha256').update(token).digest('hex');
  mkdirSync(join(folder, '.tactus'));
  const settings = `server:\n  per_minute: 1000000\n  tokens:\n    - { name: person-3, hash: 'sha256:${hash}' }\n`;
  writeFileSync(join(folder, '.tactus', 'config.yml'), `index: ${index}\n${settings}`);
  const child = spawn(process.execPath, [bin, '--address', address, 'serve', '--port', '0', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('serve has ended')));
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString();
      const [, found] = /"url": ?"([^"]*)"/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    ...{ url, token },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
