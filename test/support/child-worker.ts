import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { McpServerConfig, OutsideAgentConfig } from '../../src/contract/tools/tool-servers.js';
import { executablePaths } from './executable-paths.js';

/** A boundary by its number, or by its number among those of one station: looking at a run adds workflow tasks. */
export type KillAt = number | { station: string; nth: number };

export interface ChildWorkerOptions {
  address: string;
  taskQueue: string;
  filesRoot: string;
  /** Where it has its models; left out: in `models` of its working folder. */
  modelsFolder?: string;
  /** The boundary at which it kills itself; left out: never. */
  killAt?: KillAt;
  /** What it kills there instead of itself: the process with its models, at the question that it is asked next. */
  victim?: 'models';
  env?: Record<string, string>;
  /** The file of an index that it feeds. */
  index?: string;
  /** Where it shows the metrics of its runtime to Prometheus: `127.0.0.1:9464`. */
  metrics?: string;
  /** Where it mirrors its runs: a storage that often fails. `killAt`: it kills itself at so manieth a write. */
  storage?: { place: string; seed: number; killAt?: number };
  /** What it has of tools; `module`: path of one that exports them, null: none. */
  tools?: {
    module: string | null;
    mcpServers?: Record<string, McpServerConfig>;
    outsideAgents?: Record<string, OutsideAgentConfig>;
  };
}

export interface ChildWorker {
  /** Resolves when the process has ended, with the signal that ended it. */
  ended: Promise<NodeJS.Signals | null>;
  /** The boundaries that it has come to, by what stood there: an activity's name, or `workflow task`; null where it is dead. */
  boundaries(): Promise<string[] | null>;
  /** SIGKILL, and the wait until it is gone. */
  kill(): Promise<void>;
}

/** Code that another process has compiled is loaded in less time. */
const { NODE_COMPILE_CACHE: cache } = process.env;
const compileCache = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };

/** Starts a worker in a process of its own, which runs the built package; resolves when it polls. */
export async function startChildWorker({ env, ...options }: ChildWorkerOptions): Promise<ChildWorker> {
  const script = fileURLToPath(new URL('worker-child.mjs', import.meta.url));
  const child = fork(script, [JSON.stringify(options)], {
    execPath: executablePaths().node,
    execArgv: [],
    env: { PATH: process.env['PATH'] ?? '', ...compileCache, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_code, signal) => {
      resolve(signal);
    }),
  );
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => {
      resolve();
    });
    child.once('exit', (code) => {
      reject(new Error(`the worker ended with ${code} before it was ready: ${errors}`));
    });
  });
  return {
    ended,
    boundaries: () =>
      new Promise((resolve) => {
        child.once('message', (message) => {
          resolve((message as { boundaries: string[] }).boundaries);
        });
        void ended.then(() => {
          resolve(null);
        });
        child.send('boundaries', () => undefined);
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
