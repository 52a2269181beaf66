import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { MemoryStorage, TactusClient } from 'tactus-temporal';
import { FilePayloadStore, TactusPlugin, type TactusPluginOptions } from 'tactus-temporal/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failedTasks, historiesOf, type History } from '../support/histories.js';
import { procedureOf } from '../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What somebody's own worker does with the plugin, in the built package. */

const workflowsPath = fileURLToPath(new URL('../support/own-workflows.ts', import.meta.url));
const asking = `
writer = Agent { model = "openai/gpt-5-mini", system_prompt = "Write" }
Procedure { function() return writer({ message = "tea" }).output end }`;
const greeting = { source: procedureOf('return "hello"') };

let server: TestServer;
let provider: ProviderStandIn;
let procedures: string;
let payloads: string;

beforeAll(async () => {
  [server, provider] = await Promise.all([startDevServer(), startProviderStandIn()]);
  provider.reply(() => ({ text: 'About tea.' }));
  procedures = temporaryFolder('plugin');
  payloads = temporaryFolder('plugin-payloads');
  writeFileSync(join(procedures, 'asking.tac'), asking);
});

afterAll(async () => {
  await server.stop();
  await provider.close();
});

function pluginOf(more: TactusPluginOptions = {}): TactusPlugin {
  const env = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${provider.url}/v1` };
  return new TactusPlugin({
    activities: { env, filesRoot: procedures, procedureFolders: [procedures] },
    ...more,
  });
}

function clientWith(plugin: TactusPlugin): Client {
  return new Client({ connection: server.env.connection, plugins: [plugin] });
}

/** Does something while a worker runs that has its own workflows and the plugin. */
async function besideOwn<T>(plugin: TactusPlugin, work: () => Promise<T>): Promise<T> {
  const worker = await Worker.create({
    connection: server.env.nativeConnection,
    taskQueue: plugin.taskQueue,
    workflowsPath,
    plugins: [plugin],
  });
  return worker.runUntil(work);
}

/** What a call was scheduled with. */
function scheduled(history: History | undefined): unknown[] {
  return (history?.events ?? []).flatMap(({ activityTaskScheduledEventAttributes: call }) =>
    call
      ? [
          [
            call.activityType?.name,
            Number(call.startToCloseTimeout?.seconds),
            Number(call.heartbeatTimeout?.seconds),
            call.retryPolicy?.maximumAttempts,
          ],
        ]
      : [],
  );
}

describe("a worker with workflows of somebody's own", () => {
  it('runs both kinds, which call each other, on the queue of the plugin', async () => {
    const plugin = pluginOf({ taskQueue: 'mine' });
    const client = clientWith(plugin);
    const results = await besideOwn(plugin, () =>
      Promise.all([
        new TactusClient(client).execute(greeting.source),
        client.workflow.execute('twice', { taskQueue: 'mine', workflowId: 'twice', args: [greeting] }),
        client.workflow.execute('unheard of', { taskQueue: 'mine', workflowId: 'default', args: [] }),
      ]),
    );
    expect(results).toEqual(['hello', ['hello', 'hello'], 'the default']);
    const history = await client.workflow.getHandle('twice').fetchHistory();
    await Worker.runReplayHistory({ workflowsPath, plugins: [plugin] }, history, 'twice');
  });

  it('and a client with the plugin exchange what the server refuses for its size', async () => {
    const plugin = pluginOf({ taskQueue: 'large', payloadStore: new FilePayloadStore(payloads) });
    const client = clientWith(plugin);
    const text = 'x'.repeat(3_000_000);
    const args = { taskQueue: 'large', workflowId: 'large', args: [text] };
    expect(await besideOwn(plugin, () => client.workflow.execute('echo', args))).toBe(text);
    const history = await client.workflow.getHandle('large').fetchHistory();
    await Worker.runReplayHistory({ workflowsPath, plugins: [plugin] }, history, 'large');
  });
});

describe('limits of the plugin', () => {
  const limits = { modelTimeoutMs: 20_000, heartbeatMs: 4_000, attempts: 3 };

  it('become part of runs that its client starts, and of those that a worker looks up by name', async () => {
    const plugin = pluginOf({ taskQueue: 'limits', limits });
    const client = clientWith(plugin);
    const worker = await Worker.create({
      connection: server.env.nativeConnection,
      taskQueue: 'limits',
      plugins: [plugin],
    });
    await worker.runUntil(async () => {
      const source = { entry: 'asking.tac', files: { 'asking.tac': asking } };
      await new TactusClient(client).execute(source, {}, { runId: 'limits-sent' });
      // As any Temporal client does, which knows nothing of the plugin.
      const named = { taskQueue: 'limits', workflowId: 'limits-named', args: [{ procedure: 'asking' }] };
      await server.client.workflow.execute('tactus', named);
      const own = {
        ...named,
        workflowId: 'limits-own',
        args: [{ procedure: 'asking', limits: { attempts: 1 } }],
      };
      await server.client.workflow.execute('tactus', own);
    });
    for (const [runId, attempts] of [
      ['limits-sent', 3],
      ['limits-named', 3],
      ['limits-own', 1],
    ] as const) {
      const [history] = await historiesOf(server.client, runId);
      // The call itself may take its time, and its worker a while to say so; workers may die at it.
      expect(scheduled(history)).toEqual([['modelCall', 30, 4, attempts + 10]]);
      expect(failedTasks([history!])).toEqual([]);
      // A worker that says otherwise by then replays the run with its own.
      const others = pluginOf({ limits: { attempts: 7 } });
      await Worker.runReplayHistory({ plugins: [others] }, history, runId);
    }
  });
});

it('feeds a storage', async () => {
  const storage = new MemoryStorage();
  const plugin = pluginOf({ taskQueue: 'stored', storage });
  const worker = await Worker.create({
    connection: server.env.nativeConnection,
    taskQueue: 'stored',
    plugins: [plugin],
  });
  await worker.runUntil(async () => {
    await new TactusClient(clientWith(plugin)).execute(greeting.source, {}, { runId: 'stored' });
    await plugin.mirror?.flush();
  });
  expect(await storage.loadProcedureMetadata('stored')).toMatchObject({ status: 'COMPLETED' });
});

describe('a bundle that was made before', () => {
  const create = (plugin: TactusPlugin, workflowBundle: { code: string }): Promise<Worker> =>
    Worker.create({
      connection: server.env.nativeConnection,
      taskQueue: plugin.taskQueue,
      plugins: [plugin],
      workflowBundle,
    });
  const logger = new DefaultLogger('WARN');

  it('has our workflow where the plugin took part', async () => {
    const plugin = pluginOf({ taskQueue: 'bundled' });
    const worker = await create(
      plugin,
      await bundleWorkflowCode({ workflowsPath, plugins: [plugin], logger }),
    );
    const run = (): Promise<unknown> => new TactusClient(clientWith(plugin)).execute(greeting.source);
    expect(await worker.runUntil(run)).toBe('hello');
  });

  it('is refused where it took none, before any run fails for it', async () => {
    const bundle = await bundleWorkflowCode({ workflowsPath, logger });
    await expect(create(pluginOf(), bundle)).rejects.toThrow('exports no tactus: make it with');
  });

  it('is refused where it has no workflows for turns of graphs and dead letters', async () => {
    const plugin = pluginOf();
    const { code } = await bundleWorkflowCode({ workflowsPath, plugins: [plugin], logger });
    const without = { code: code.replaceAll(/tactus(Turn|DeadLetter)/g, 'renamed$1') };
    await expect(create(plugin, without)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /exports no tactusTurn, tactusDeadLetter: .* or export tactusTurn,/,
      ) as string,
    });
  });

  it('is refused where it has no workflows for published procedures', async () => {
    const plugin = pluginOf();
    const { code } = await bundleWorkflowCode({ workflowsPath, plugins: [plugin], logger });
    const without = { code: code.replaceAll('tactusPublished', 'renamed') };
    await expect(create(plugin, without)).rejects.toThrow(
      'exports no tactusPublished, tactusPublishedSource: make it with',
    );
  });

  it('is refused where it has no workflows for holds and scores', async () => {
    const plugin = pluginOf();
    const { code } = await bundleWorkflowCode({ workflowsPath, plugins: [plugin], logger });
    const without = { code: code.replaceAll(/tactus(Holds|Scores)/g, 'renamed$1') };
    await expect(create(plugin, without)).rejects.toThrow(
      'exports no tactusHolds, tactusScores: make it with',
    );
  });
});

it('a worker without activities, and a mirror without a connection, are refused', async () => {
  const { nativeConnection: connection } = server.env;
  const bare = Worker.create({ connection, taskQueue: 'none', plugins: [new TactusPlugin()] });
  await expect(bare).rejects.toMatchObject({ code: 'usage' });
  const mirroring = pluginOf({ storage: new MemoryStorage() });
  const unconnected = Worker.create({ taskQueue: 'none', plugins: [mirroring] });
  await expect(unconnected).rejects.toMatchObject({ code: 'usage' });
});
