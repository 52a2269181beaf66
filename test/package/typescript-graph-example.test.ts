import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TactusClient } from 'tactus-temporal';
import { RunCheckpointer } from 'tactus-temporal/graph';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { executablePaths } from '../support/executable-paths.js';
import { soundExecutions } from '../support/sound-executions.js';
import { startDevServer, type TestServer } from '../support/test-server.js';

/** examples/typescript-graph as its README runs it, with the built package: a worker and a client in processes of their own. */

const example = (name: string): string =>
  fileURLToPath(new URL(`../../examples/typescript-graph/${name}`, import.meta.url));
const { node } = executablePaths();

let server: TestServer;
let env: NodeJS.ProcessEnv;
let worker: ChildProcess;

const begin = (): ChildProcess => spawn(node, [example('worker.ts')], { env, stdio: 'ignore' });
const endOf = (process: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => process.on('exit', resolve));

beforeAll(async () => {
  server = await startDevServer();
  env = { ...process.env, TEMPORAL_ADDRESS: server.env.address };
  worker = begin();
});

afterAll(async () => {
  const ended = endOf(worker);
  worker.kill('SIGTERM');
  expect(await ended).toBe(0);
  await server.stop();
});

async function client(...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(node, [example('client.ts'), ...args], { env });
  return stdout.trim().split('\n');
}

it('waits for a person, goes on in another worker, and takes an answer once', async () => {
  const paused = await client('A-7');
  expect(paused).toEqual([
    'step 1: begin',
    'step 2: paid, policy',
    'step 3: write',
    'step 4: ',
    expect.stringContaining('approve waits: refund it? {"mail":"Dear Ann, we refund 2500 cents for A-7."'),
  ]);
  const killed = endOf(worker);
  worker.kill('SIGKILL');
  await killed;
  worker = begin();
  const [ended, again] = [await client('A-7', 'yes'), await client('A-7', 'yes')];
  expect(ended).toEqual([expect.stringMatching(/^ended: refunded 2500 cents \(refund-A-7\//)]);
  expect(again).toEqual(ended);
  expect(await client('A-8')).toHaveLength(5);
  expect(await client('A-8', 'no')).toEqual(['ended: kept']);

  const reader = new RunCheckpointer(new TactusClient(server.client));
  expect((await reader.getLedger('refund-A-7')).map(({ key }) => key)).toEqual(['paid', 'policy']);
  expect(await reader.getIntents('refund-A-7')).toMatchObject([{ type: 'send_mail', status: 'failed' }]);
  await soundExecutions(server.client, server.tactus.attach('refund-A-7'));
});
