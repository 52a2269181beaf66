import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from '@temporalio/worker';
import { TactusPlugin } from 'tactus-temporal/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { executablePaths } from '../support/executable-paths.js';
import { failedTasks, historiesOf } from '../support/histories.js';
import { pendingOf } from '../support/pending-of.js';
import { startDevServer, type TestServer } from '../support/test-server.js';

/** examples/child-workflow as its README runs it, with the built package: a worker and a client in processes of their own. */

const example = (name: string): string =>
  fileURLToPath(new URL(`../../examples/child-workflow/${name}`, import.meta.url));
const { node } = executablePaths();

let server: TestServer;
let env: NodeJS.ProcessEnv;
let worker: ChildProcess;
let ended: Promise<number | null>;

beforeAll(async () => {
  server = await startDevServer();
  env = { ...process.env, TEMPORAL_ADDRESS: server.env.address };
  worker = spawn(node, [example('worker.ts')], { env, stdio: 'ignore' });
  ended = new Promise((resolve) => worker.on('exit', resolve));
});

afterAll(async () => {
  worker.kill('SIGTERM');
  const code = await ended;
  await server.stop();
  expect(code).toBe(0);
});

async function client(...args: string[]): Promise<string> {
  return (await promisify(execFile)(node, [example('client.ts'), ...args], { env })).stdout.trim();
}

/** What went wrong when the executions of a run are replayed with the workflows of the example. */
async function replayed(workflowId: string): Promise<unknown[]> {
  const histories = await historiesOf(server.client, workflowId);
  expect(histories.length, workflowId).toBe(1);
  expect(failedTasks(histories)).toEqual([]);
  const options = { workflowsPath: example('workflows.ts'), plugins: [new TactusPlugin()] };
  const problems = [];
  for await (const { error } of Worker.runReplayHistories(
    options,
    histories.map((history) => ({ workflowId, history })),
  ))
    if (error !== undefined) problems.push(error);
  return problems;
}

it('gives the output of a procedure that asks nobody to the workflow that started it', async () => {
  expect(await client('A-7', '40')).toBe('A-7 is refunded');
  expect((await server.client.workflow.getHandle('order-A-7/refund').describe()).status.name).toBe(
    'COMPLETED',
  );
  expect(await replayed('order-A-7')).toEqual([]);
  expect(await replayed('order-A-7/refund')).toEqual([]);
});

it('waits while the child asks a person, by the id of the child', async () => {
  const output = client('A-8', '400');
  const [request] = await pendingOf(server.tactus.attach('order-A-8/refund'));
  expect(request).toMatchObject({ id: 'order-A-8/refund/0', message: 'Refund 400 for order A-8?' });
  const verdict = await server.tactus.decide({ request: request?.id ?? '', value: false, by: 'ada' });
  expect(verdict).toMatchObject({ outcome: 'accepted' });
  expect(await output).toBe('A-8 is not refunded');
  expect(await replayed('order-A-8')).toEqual([]);
  expect(await replayed('order-A-8/refund')).toEqual([]);
});
