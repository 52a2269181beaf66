import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import {
  hasPrometheus,
  hastyRules,
  startPrometheus,
  type TestPrometheus,
} from '../../support/prometheus-server.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const root = join(import.meta.dirname, '../../..');

/** Seconds in place of minutes and days, and milliseconds where the alert has them. */
const thresholds = {
  TactusTasksWait: 1_000,
  TactusCallsWait: 1_000,
  TactusMirrorBehind: 2,
  TactusIndexBehind: 2,
  TactusRequestsWait: 2,
};

const configuration = `
groups: {finance: [flora, fred]}
server: {tokens: [{name: ann, secret: ANN, roles: [read]}]}
tool_modules: [./tools.mjs]
worker: {activities: 1, workflow_tasks: 2}
`;
const tools = `
import { z } from ${JSON.stringify(join(root, 'node_modules/zod/index.js'))};
import { setTimeout } from 'node:timers/promises';
export const look = {
  name: 'look', description: 'Looks', input: z.object({}), effect: 'pure',
  execute: async () => { await setTimeout(1_500); return 'seen'; },
};
`;
const procedures = {
  'one.tac': 'function main() return 1 end',
  // Some seconds for a worker that does nothing else.
  'busy.tac': 'function main() local n = 0 for i = 1, 12000000 do n = n + i % 7 end return n end',
  'look.tac': `look = Tool { use = "host.look" }
Procedure { function() return Parallel.map({1, 2, 3, 4}, function() return look({}) end) end }`,
  'confirm.tac':
    'function main() return Human.approve({message = "Sure?", approvers = {"group:finance"}}) end',
};

/** A real Prometheus asks a real worker and a real server, while work waits for workers, databases and people. */
describe.runIf(hasPrometheus)('a Prometheus', () => {
  let [server, folder, prometheus]: [TestServer, CliFolder, TestPrometheus] = [...([] as never[])] as never;
  const ending: (() => Promise<unknown>)[] = [];
  let started = 0;

  const start = async (name: string): Promise<void> => {
    const { code, stderr } = await folder.runHere(['start', name, '--id', `run-${++started}`]);
    expect(code, stderr).toBe(0);
  };
  const fires = async (alert: string): Promise<void> =>
    void (await waitUntil(async () => (await prometheus.firing()).includes(alert), 60_000));
  const isOver = async (alert: string): Promise<void> =>
    void (await waitUntil(async () => !(await prometheus.firing()).includes(alert), 60_000));

  beforeAll(async () => {
    server = await startDevServer();
    ending.push(() => server.stop());
    folder = cliFolder({
      TEMPORAL_ADDRESS: server.env.address,
      ANN: 'a-token-of-anns-that-is-long-enough',
      TACTUS_TEMPORAL_INDEX: 'index.sqlite',
      TACTUS_TEMPORAL_STORAGE: 'sqlite:storage.sqlite',
    });
    folder.write('.tactus/config.yml', configuration);
    folder.write('tools.mjs', tools);
    for (const [name, text] of Object.entries(procedures)) folder.write(name, text);
    const [ofWorker, ofServe] = [await freePort(), await freePort()];
    prometheus = await startPrometheus(
      { 'tactus-worker': [`127.0.0.1:${ofWorker}`], 'tactus-serve': [`127.0.0.1:${ofServe}`] },
      hastyRules(thresholds),
    );
    ending.push(() => prometheus.stop());
    const worker = await folder.worker(['--metrics', String(ofWorker)]);
    ending.push(() => worker.stop());
    const serve = folder.start(['serve', '--port', '0', '--metrics', String(ofServe)]);
    const ended = new Promise<void>((done) => serve.on('close', () => done()));
    ending.push(() => {
      serve.kill('SIGTERM');
      return ended;
    });
  }, 60_000);
  afterAll(async () => {
    for (const end of ending.reverse()) await end().catch(() => undefined);
  });

  it('fires where runs wait for a worker', async () => {
    const histogram = 'temporal_workflow_task_schedule_to_start_latency_count';
    await start('one.tac');
    // A rate is seen from the second look on.
    await waitUntil(async () => (await prometheus.query(histogram)).length > 0);
    for (const name of ['busy.tac', 'busy.tac', 'busy.tac', 'busy.tac', 'one.tac', 'one.tac', 'one.tac'])
      await start(name);
    await fires('TactusTasksWait');
  });

  it('fires where calls wait for a slot', async () => {
    expect(await prometheus.firing()).not.toContain('TactusCallsWait');
    await start('look.tac');
    await fires('TactusCallsWait');
  });

  it('fires where a request waits for people', async () => {
    expect(await prometheus.firing()).not.toContain('TactusRequestsWait');
    await start('confirm.tac');
    await fires('TactusRequestsWait');
  });

  it('fires where storage and index are locked by somebody else, and not after that', async () => {
    const behind = ['TactusMirrorBehind', 'TactusIndexBehind'];
    expect((await prometheus.firing()).filter((alert) => behind.includes(alert))).toEqual([]);
    const databases = ['storage.sqlite', 'index.sqlite'].map(
      (file) => new DatabaseSync(join(folder.path, file)),
    );
    for (const database of databases) database.exec('BEGIN EXCLUSIVE');
    try {
      await start('one.tac');
      for (const alert of behind) await fires(alert);
    } finally {
      for (const database of databases) {
        database.exec('ROLLBACK');
        database.close();
      }
    }
    for (const alert of behind) await isOver(alert);
  });
});
