import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalNames } from '../../src/contract/names.js';
import type { Decision } from '../../src/contract/people/decision.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import { leastNode } from '../../scripts/setup/least-node.mjs';
import { runNpm } from '../../scripts/setup/run-npm.mjs';
import { cliFolder, type CliFolder } from '../support/cli-folder.js';
import { executablePaths } from '../support/executable-paths.js';
import { startProviderStandIn, type Answer, type ProviderStandIn } from '../support/provider-stand-in.js';
import { sampled } from '../support/sampled.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { node } = executablePaths();
const least = leastNode.join('.');
const platform = `${process.platform}-${process.arch}`;

/** As in `packed.test.ts`: without npm's registry neither the package nor another Node can be installed. */
const isRequired = process.env['PACKED_TEST'] === 'required';
const hasRegistry =
  isRequired ||
  (await runNpm(['view', `node-${platform}@${least}`, 'version'], { node, cwd: root, timeoutMs: 20_000 }))
    .code === 0;
if (!hasRegistry) console.warn("SKIPPED: npm's registry can't be reached.");

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const result = await runNpm(args, { node, cwd, timeoutMs: 150_000 });
  if (result.code !== 0) throw new Error(`npm ${args.join(' ')}: ${result.stderr}${result.stdout}`);
  return result.stdout;
}

/** Those that run by the own Node as well: by it the tests of `init` run the Specifications of all of them. */
const byOwnNode = sampled(['approval', 'support', 'batch', 'research', 'runbook'], 5);

let provider: ProviderStandIn;
let project: string;
let env: NodeJS.ProcessEnv;
let sick: { url: string; server: Server };

beforeAll(async () => {
  if (!hasRegistry) return;
  const folder = temporaryFolder('templates');
  const archive = await npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder, '--silent');
  project = temporaryFolder('templates-project');
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      dependencies: {
        'tactus-temporal': `file:${join(folder, archive.trim())}`,
        [`node-${platform}`]: least,
      },
    }),
  );
  await npm(project, 'install', '--prefer-offline', '--ignore-scripts');
  provider = await startProviderStandIn();
  const cache = temporaryFolder('templates-cache');
  copyFileSync(join(root, '.toolchain', 'paths.json'), join(cache, 'paths.json'));
  env = {
    TACTUS_TEMPORAL_CACHE: cache,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${provider.url}/v1`,
    // Nothing beyond this machine can be reached.
    ...{
      HTTPS_PROXY: 'http://127.0.0.1:1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      NO_PROXY: '127.0.0.1,localhost',
    },
  };
  sick = await startSickService();
});
afterAll(async () => {
  sick?.server.close();
  await provider?.close();
});

/** A service that is well again as soon as it has been restarted. */
async function startSickService(): Promise<typeof sick> {
  let isWell = false;
  const server = createServer(({ url }, response) => {
    if (url === '/restart') isWell = true;
    response.statusCode = url === '/restart' || isWell ? 200 : 503;
    response.end();
    if (url === '/health' && isWell) isWell = false;
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe.skipIf(!hasRegistry).each([
  ['least', () => join(project, `node_modules/node-${platform}/bin/node`)],
  ['own', () => process.execPath],
])('what init begins, run from the packed package by the %s Node', (which, executable) => {
  let folder: CliFolder;
  let connection: Connection | null = null;

  beforeAll(async () => {
    const bin = join(project, 'node_modules/tactus-temporal/bin/tactus-temporal.mjs');
    folder = cliFolder(env, [executable(), bin]);
    const { stdout } = await folder.run(['doctor']);
    expect(stdout).toContain(which === 'least' ? least : process.versions.node);
  });
  afterAll(async () => {
    await connection?.close();
    await folder?.close();
  });

  /** By signal, which needs no worker: a command for each answer would take most of the time. */
  async function decide(run: string, decision: Decision): Promise<void> {
    if (connection === null) {
      const { address } = (await folder.run(['server', 'status', '--json'])).json() as { address: string };
      connection = await Connection.connect({ address });
    }
    await new Client({ connection }).workflow.getHandle(run).signal(signalNames.decide, decision);
  }

  /** Runs the procedure of a template, and answers what it asks, one after another. */
  async function run(template: string, params: string[], answers: JsonValue[]): Promise<unknown> {
    // All of them lie in one folder, and share its server.
    rmSync(join(folder.path, 'README.md'), { force: true });
    const begun = await folder.run(['init', '.', '--template', template, '--json']);
    expect(begun.code, begun.stderr).toBe(0);
    const { files } = begun.json() as unknown as { files: string[] };
    const procedure = files.find((file) => file.endsWith('.tac')) ?? '';
    let ended = await folder.run(['run', procedure, '--id', template, ...params, '--json']);
    for (const answer of answers) {
      expect(ended.code, ended.stderr).toBe(3);
      const [request] = ended.json()['pending'] as { id: string }[];
      await decide(template, { request: request?.id ?? '', value: answer });
      ended = await folder.run(['resume', template, '--json']);
    }
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    return ended.json()['output'];
  }

  const itRuns = (name: string, test: () => Promise<void>): void =>
    it.runIf(which === 'least' || byOwnNode.some((template) => name.startsWith(template)))(name, test);
  const reply = (...answers: Answer[]): void => provider.reply(...answers);

  itRuns('approval', async () => {
    expect(await run('approval', [], [true, true])).toEqual({ status: 'paid', asked: 2 });
    expect(folder.read('files/payments.csv')).toBe('Ada,1200,a conference\n');
  });

  itRuns('support', async () => {
    reply(
      { toolCalls: [{ name: 'refund', arguments: '{"id":"A-7","reason":"late"}' }] },
      { text: 'Your money is on its way.' },
    );
    expect(await run('support', [], ['I want my money for A-7', true, 'bye'])).toEqual({
      turns: 1,
      refunded: 40,
    });
  });

  itRuns('batch, of two hundred documents', async () => {
    for (let i = 1; i <= 197; i++) folder.write(`files/documents/more-${i}.txt`, `Letter ${i}`);
    const before = provider.requests.length;
    provider.reply(() => ({ text: '{"topic": "kettles", "urgency": "low"}' }));
    expect(await run('batch', ['--param', 'at_once=20'], [])).toEqual({ read: 200, urgent: 0, failed: [] });
    const sent = provider.requests.slice(before).map(({ body }) => (body['messages'] as unknown[]).length);
    expect(new Set(sent)).toEqual(new Set([2]));
    expect(sent).toHaveLength(200);
  });

  itRuns('research', async () => {
    reply(
      { toolCalls: [{ name: 'list_notes', arguments: '{}' }] },
      { toolCalls: [{ name: 'read_note', arguments: '{"name":"prices.txt"}' }] },
      { text: 'A kettle costs 40 (prices.txt).' },
    );
    expect(await run('research', [], [{ decision: 'approve' }])).toEqual({
      report: 'A kettle costs 40 (prices.txt).',
      rounds: 1,
    });
    const [, , third] = provider.requests.slice(-3);
    expect(JSON.stringify(third?.body)).toContain('Kettles: 40');
    expect(folder.read('files/report.md')).toContain('costs 40');
  });

  itRuns('runbook', async () => {
    const params = ['--param', `service=${sick.url}`, '--param', 'pause=1'];
    expect(await run('runbook', params, [true])).toEqual({ outcome: 'restarted', health: 'healthy' });
  });
});
