import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRunIndex, TactusClient, type IndexChange, type RunIndex } from '../../dist/index.js';
import { createTactusWorker } from '../../dist/worker.js';
import type { Stage } from '../stage.ts';

/** `serve`, and runs that ask. */
export interface Inbox {
  url: string;
  token: string;
  /** So many of the runs, the first ones, have come to their requests themselves. */
  worked: number;
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

/** So many runs a worker works for: it would take most of an hour to bring all of them to their requests. */
const mostWorked = 200;
const writtenAtOnce = 200;

/**
 * So many runs, each with one request, of 20 procedures for 50 people. The server has all of them. A worker brings the first to their requests and tells the
 * index; the others wait for a worker that never comes, and the index is told by the same writer what the first ones told.
 */
export async function openInbox(stage: Stage, runs: number): Promise<Inbox> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-inbox-'));
  const place = join(folder, 'index.sqlite');
  const index = await openRunIndex(place);
  const worker = await createTactusWorker({
    ...{ connection: stage.env.nativeConnection, taskQueue, index },
    activities: { env: {}, filesRoot: folder, procedureFolders: [] },
    // Of so many runs most have left the memory of a worker.
    worker: { maxCachedWorkflows: 50 },
  });
  const working = worker.run();
  const worked = Math.min(runs, mostWorked);
  const begun = performance.now();
  await startAll(new TactusClient(stage.env.client, { taskQueue }), 0, worked);
  while ((await index.counts()).requests < worked) await pause(200);
  const parked = new TactusClient(stage.env.client, { taskQueue: `${taskQueue}-parked` });
  await tell(index, await startAll(parked, worked, runs));
  // As an index has it that is in use: one that nobody has looked at yet is compared with every run first.
  await index.setCaughtUp(Date.now());
  const filledMs = performance.now() - begun;
  const { address } = stage.env;
  const { url, token, stop } = await serve(folder, place, address);
  return {
    ...{ url, token, worked, filledMs },
    close: async () => {
      await stop();
      worker.shutdown();
      await working;
      await index.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs of these numbers, and the executions that they began with. */
async function startAll(tactus: TactusClient, from: number, to: number): Promise<Map<number, string>> {
  const executions = new Map<number, string>();
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to) {
      const n = next++;
      const { handle } = await tactus.start(sourceOf(n), { n, context }, { runId: runIdOf(n) });
      executions.set(n, (await handle.describe()).runId);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return executions;
}

/** Tells the index of runs as a worker would, had it come to their requests. */
async function tell(index: RunIndex, executions: ReadonlyMap<number, string>): Promise<void> {
  const changes = [...executions].map(([n, execution]) => told(n, execution));
  for (let i = 0; i < changes.length; i += writtenAtOnce)
    await index.write(changes.slice(i, i + writtenAtOnce));
}

function told(n: number, execution: string): IndexChange {
  const [run_id, at] = [runIdOf(n), new Date().toISOString()];
  return {
    kind: 'told',
    run: {
      ...{ run_id, procedure: `p${n % 20}`, status: 'waiting_for_human', error: null, children: [] },
      waits: [{ position: '0', kind: 'human', name: `May order ${n} be paid?`, since: at }],
      ...{ checkpoints: 0, usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 } },
      ...{ started_at: at, closed_at: null },
      version: { execution, began: Date.now(), length: 3, step: 1 },
      pending: [
        {
          ...{ id: `${run_id}/0`, run_id, kind: 'approval', message: `May order ${n} be paid?` },
          ...{ context: { order: n, text: context }, options: [], default: null, deadline: null },
          ...{ created_at: at, position: '0', approvers: [`person-${n % 50}`], digest: `${n}` },
        },
      ],
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
