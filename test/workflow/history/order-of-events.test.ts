import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { signalNames } from '../../../src/contract/names.js';
import { begunWhilePaused } from '../../support/begun-while-paused.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { seededRandom } from '../../support/seeded-random.js';
import { tangledProcedure } from '../../support/tangled-procedure.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/**
 * Runs of procedures made by chance, looked at, answered and paused all the time. A query that is answered while a local activity
 * goes on ends the workflow task, so that events meet at its edge in all orders. `ORDER_FROM=1000 ORDER_SEEDS=400` looks
 * at others, for longer.
 */
const from = Number(process.env['ORDER_FROM'] ?? 1);
const count = Number(process.env['ORDER_SEEDS'] ?? 8);
const atOnce = 4;

let server: TestServer;
let worker: TestWorker;
let elsewhere: Server;
let url: string;

beforeAll(async () => {
  server = await startDevServer();
  const filesRoot = temporaryFolder('order');
  for (let i = 0; i < 9; i++) await writeFile(join(filesRoot, `note-${i}.txt`), `note ${i}`);
  const interceptors = { activity: [slowFiles] };
  worker = await startWorker(server, { activities: { filesRoot }, worker: { interceptors } });
  elsewhere = createServer((request, response) => {
    setTimeout(() => response.end('{}'), Number(request.url?.slice(1)));
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await worker.stop();
  elsewhere.close();
  await server.stop();
});

/** Files take up to 12 ms. */
function slowFiles(): { inbound: ActivityInboundCallsInterceptor } {
  const random = seededRandom(from);
  return {
    inbound: {
      async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
        if (JSON.stringify(input.args).includes('.txt')) await delay(random() * 12);
        return next(input);
      },
    },
  };
}

/** Looks at a run and answers what it asks, by signal and by Update, until it has ended. */
async function pester(run: TactusRun, seed: number, hasEnded: () => boolean): Promise<void> {
  const random = seededRandom(seed);
  const glance = async (): Promise<void> => {
    if (random() < 0.2) await run.pause({ deadlines: random() < 0.5 ? 'go_on' : 'stand_still' });
    else if (random() < 0.5) await run.unpause();
    const { pending } = await run.status();
    for (const { id } of pending) {
      if (random() < 0.5) continue;
      const decision = { request: id, value: true };
      if (random() < 0.5) await run.handle.signal(signalNames.decide, decision);
      else await run.decide(decision);
    }
    await delay(random() * 5);
  };
  // The server turns queries away where there are too many, and who is late finds a run that has ended.
  const look = async (): Promise<void> => {
    while (!hasEnded()) await glance().catch(() => delay(20));
  };
  await Promise.all([look(), look(), look()]);
}

async function runSeed(seed: number): Promise<string[]> {
  const { main, child } = tangledProcedure(seed, url);
  const runId = `order-${seed}`;
  const source = procedureSource(main, { 'child.tac': child });
  const limits = seed % 3 === 0 ? { historyEvents: 120 } : {};
  const run = await server.tactus.start(source, {}, { runId, limits });
  let hasEnded = false;
  const pestered = pester(run, seed, () => hasEnded);
  const output = await run.result().finally(() => (hasEnded = true));
  await pestered;
  const histories = await historiesOf(server.client, runId);
  const problems = await replayRun(server.client, { runId });
  if (JSON.stringify(output) !== '{"ok":true}') problems.push(`${runId}: gave ${JSON.stringify(output)}`);
  // A timer of a request that goes on in its time may begin another one meanwhile.
  problems.push(...histories.flatMap(begunWhilePaused).map((begun) => `${runId}: ${begun} while paused`));
  return [...problems, ...failedTasks(histories).map((problem) => `${runId}: ${problem}`)];
}

describe('however timers, answers, files, signals, Updates and queries meet', () => {
  it(`a run replays (seeds ${from} to ${from + count - 1})`, async () => {
    const seeds = Array.from({ length: count }, (_, i) => from + i);
    const problems: string[] = [];
    const work = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
        problems.push(...(await runSeed(seed)));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    expect(problems).toEqual([]);
  }, 3_600_000);
});
