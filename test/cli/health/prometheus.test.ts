import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import {
  alerts,
  comparedIn,
  hasPrometheus,
  hastyRules,
  startPrometheus,
  type TestPrometheus,
} from '../../support/prometheus-server.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const root = join(import.meta.dirname, '../../..');

const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/tactus.json'), 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '2m')] as const),
);

const configuration = `
groups: {finance: [flora, fred]}
authority: {keys: {main: {hmac: DECISION_KEY}}}
prices: {openai/gpt-x: {input: 1000000, output: 1000000}}
retries: 1
server: {tokens: [{name: ann, secret: ANN, roles: [read]}]}
tool_modules: [./tools.mjs]
`;
const tools = `
import { z } from ${JSON.stringify(join(root, 'node_modules/zod/index.js'))};
export const look = { name: 'look', description: 'Looks', input: z.object({}), effect: 'pure', execute: () => 'seen' };
`;
const annsToken = 'a-token-of-anns-that-is-long-enough';
const procedures = {
  'ask.tac': 'writer = Agent { model = "openai/gpt-x" }\nfunction main() return writer("Write").output end',
  'held.tac':
    'writer = Agent { model = "anthropic/claude-x" }\nfunction main() return writer("Write").output end',
  'fail.tac': 'function main() error("no") end',
  'look.tac': 'look = Tool { use = "host.look" }\nProcedure { function() return look({}) end }',
  'confirm.tac':
    'function main() return Human.approve({message = "Sure?", approvers = {"group:finance"}}) end',
};

/** A real Prometheus asks a real worker and a real server, while runs end well, fail, wait and are stuck. */
describe.runIf(hasPrometheus)('a Prometheus', () => {
  let [server, provider, folder, prometheus]: [TestServer, ProviderStandIn, CliFolder, TestPrometheus] = [
    ...([] as never[]),
  ] as never;
  const ending: (() => Promise<unknown>)[] = [];
  let stopServer = async (): Promise<void> => undefined;
  let [worker, serve] = [async () => {}, async () => {}];

  let url = '';

  const start = async (name: string, id: string): Promise<void> => {
    const started = await folder.runHere(['start', name, '--id', id]);
    expect(started.code, started.stderr).toBe(0);
  };

  beforeAll(async () => {
    provider = await startProviderStandIn();
    ending.push(() => provider.close());
    server = await startDevServer();
    stopServer = () => server.stop();
    ending.push(() => stopServer());
    folder = cliFolder({
      TEMPORAL_ADDRESS: server.env.address,
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      ANTHROPIC_API_KEY: 'key',
      ANN: annsToken,
      DECISION_KEY: 'the key that decisions are signed with',
      TACTUS_TEMPORAL_INDEX: 'index.sqlite',
      TACTUS_TEMPORAL_STORAGE: 'sqlite:storage.sqlite',
    });
    folder.write('.tactus/config.yml', configuration);
    folder.write('tools.mjs', tools);
    for (const [name, text] of Object.entries(procedures)) folder.write(name, text);
    const [ofWorker, ofServe] = [await freePort(), await freePort()];
    const begun = await folder.worker(['--metrics', String(ofWorker)]);
    worker = async () => void (await begun.stop());
    ending.push(() => worker());
    const child = folder.start(['serve', '--port', '0', '--metrics', String(ofServe)]);
    const ended = new Promise<void>((done) => child.on('close', () => done()));
    let said = '';
    child.stdout?.on('data', (data: Buffer) => (said += data.toString()));
    serve = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    ending.push(() => serve());
    url = await waitUntil(async () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? null);
    await fetch(`${url}/livez`);
    prometheus = await startPrometheus(
      { 'tactus-worker': [`127.0.0.1:${ofWorker}`], 'tactus-serve': [`127.0.0.1:${ofServe}`] },
      hastyRules(),
    );
    ending.push(() => prometheus.stop());
    let asked = 0;
    provider.reply(() =>
      asked++ % 2 === 1
        ? { text: 'done', usage: { input: 1_000, output: 100 } }
        : { status: 500, body: { error: { message: 'down' } } },
    );
    await folder.runHere(['hold', 'add', 'provider:anthropic', '--reason', 'test']);
    // Rates are seen of what goes on between two looks.
    for (let i = 0; i < 3; i++) {
      for (const name of Object.keys(procedures)) await start(name, `${name}-${i}`);
      // What a version of tomorrow has handed over can't be gone on with here: its task fails again and again.
      await server.client.workflow.start('tactus', {
        ...{ workflowId: `stuck-${i}`, taskQueue: 'tactus', args: [{ input: {}, carry: { engine: 9_999 } }] },
      });
      // Somebody without the key decides, again and again.
      for (let forged = 0; forged < 3; forged++)
        await folder.runHere(
          [
            'respond',
            `confirm.tac-${i}/0`,
            'y',
            '--as',
            'flora',
            '--key-secret',
            'FORGED',
            '--key-id',
            'main',
          ],
          { env: { FORGED: 'another key than the one that workers know' } },
        );
      await fetch(`${url}/livez`);
      await new Promise((done) => setTimeout(done, 2_000));
    }
  }, 120_000);
  afterAll(async () => {
    for (const end of ending.reverse()) await end().catch(() => undefined);
  });

  it.each(queries)('has data for the panel "%s": %s', async (_title, expr) => {
    const found = await waitUntil(async () => {
      const series = await prometheus.query(expr);
      return series.some(({ value }) => !Number.isNaN(value)) ? series : null;
    }, 30_000);
    expect(found.length).toBeGreaterThan(0);
  });

  it.each(alerts)('has data for the alert $alert', async (alert) => {
    const found = await waitUntil(async () => {
      const series = await prometheus.query(comparedIn(alert));
      return series.some(({ value }) => !Number.isNaN(value)) ? series : null;
    }, 30_000);
    expect(found.length).toBeGreaterThan(0);
  });

  it('fires where models and runs fail, runs are stuck, cost is high and decisions are forged', async () => {
    const expected = [
      'TactusCost',
      'TactusForgedDecisions',
      'TactusModelErrors',
      'TactusRunsFail',
      'TactusRunsStuck',
    ];
    // What didn't come is named where it fails.
    const missing = async (): Promise<string[]> => {
      const now = await prometheus.firing();
      return expected.filter((alert) => !now.includes(alert));
    };
    await waitUntil(async () => (await missing()).length === 0, 40_000).catch(() => undefined);
    expect(await missing()).toEqual([]);
    expect((await prometheus.firing()).filter((alert) => !expected.includes(alert))).toEqual([]);
  });

  it('fires where the Temporal server is away, and the worker and the HTTP API are down', async () => {
    await stopServer();
    stopServer = async () => undefined;
    const asked = new Set<number>();
    await waitUntil(async () => {
      const headers = { authorization: `Bearer ${annsToken}` };
      const { status } = await fetch(`${url}/api/v1/namespaces/default/runs/gone`, { headers });
      asked.add(status);
      const now = await prometheus.firing();
      return now.includes('TactusNotReady') && now.includes('TactusServeErrors');
    });
    expect([...asked].every((status) => status >= 500)).toBe(true);
    await Promise.all([worker(), serve()]);
    [worker, serve] = [async () => {}, async () => {}];
    await waitUntil(async () => {
      const now = await prometheus.firing();
      return now.includes('TactusWorkerDown') && now.includes('TactusServeDown');
    });
  });
});
