import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type NativeConnection,
} from '@temporalio/worker';
import { TactusPlugin } from '../dist/worker.js';

/** A real server, one worker that has both kinds of workflow, and a prediction model over HTTP. */
export interface Stage {
  env: TestWorkflowEnvironment;
  endpoint: string;
  bundle: { code: string };
  close(): Promise<void>;
}

const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * A development server. @param dbFilename where it keeps what it has; left out: in its memory
 * @param settings of the server, by their names in its dynamic configuration
 */
export function startServer(
  dbFilename?: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<TestWorkflowEnvironment> {
  const { temporal: path } = JSON.parse(readFileSync(inRoot('.toolchain/paths.json'), 'utf8')) as {
    temporal: string;
  };
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: [
        ...['--log-level', 'never'],
        ...Object.entries(settings).flatMap(([name, value]) => [
          '--dynamic-config-value',
          `${name}=${JSON.stringify(value)}`,
        ]),
      ],
      ...(dbFilename === undefined ? {} : { dbFilename }),
    },
  });
}

/**
 * A prediction model over HTTP. @param answerMs after so long it answers
 * @param asked called with each request
 */
export async function startModel(
  answerMs = 0,
  asked: (request: IncomingMessage) => void = () => undefined,
): Promise<{ endpoint: string; close: () => void }> {
  const model = createServer((request, response) => {
    asked(request);
    const answer = (): void => void response.end('{"score": 0.5}');
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (answerMs === 0) answer();
      else setTimeout(answer, answerMs);
    });
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
  const { port } = model.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => void model.close() };
}

export async function openStage(): Promise<Stage> {
  quiet();
  const env = await startServer();
  const model = await startModel();
  const bundle = await bundleBench();
  return {
    env,
    bundle,
    endpoint: model.endpoint,
    async close() {
      model.close();
      await env.teardown();
    },
  };
}

const activities = { env: {}, filesRoot: '.', procedureFolders: [] };

/** Adds our workflow to bundles, and what it needs to workers. They keep no stack traces, as workers of procedures alone. */
export const plugin = new TactusPlugin({ activities, stackTraces: false });

/** The same for workflows by hand: their workers are as the SDK has them. */
export const pluginByHand = new TactusPlugin({ activities, stackTraces: true });

export function quiet(): void {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
}

export function bundleBench(): Promise<{ code: string }> {
  return bundleWorkflowCode({
    workflowsPath: inRoot('bench/workflows.ts'),
    plugins: [plugin],
    logger: new DefaultLogger('ERROR'),
  });
}

export function openWorker({ env, bundle }: Stage, taskQueue: string, own = plugin): Promise<Worker> {
  return createBenchWorker(env.nativeConnection, bundle, taskQueue, own);
}

export function createBenchWorker(
  connection: NativeConnection,
  workflowBundle: { code: string },
  taskQueue: string,
  own = plugin,
): Promise<Worker> {
  return Worker.create({
    connection,
    taskQueue,
    workflowBundle,
    maxCachedWorkflows: 1_000,
    plugins: [own],
  });
}
