import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../src/contract/json/json.js';
import { commandHere } from './command-here.js';
import { runOnTerminal, type OnTerminal, type TerminalSize } from './on-terminal.js';
import { temporaryFolder } from './temporary-folder.js';

const root = resolve(import.meta.dirname, '../..');
const ownBin = join(root, 'bin', 'tactus-temporal.mjs');
const longestMs = 120_000;

export interface Ended {
  /** null where it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** stdout as the one JSON document that it must be. */
  json: () => JsonObject;
}

export interface WorkerCommand {
  /** Tells it to end; its exit code. */
  stop(): Promise<number | null>;
}

/** A working folder of its own, in which commands run as people run them. */
export interface CliFolder {
  path: string;
  /** What runs its commands, for tests that start the process themselves. */
  command: { node: string; bin: string; env: NodeJS.ProcessEnv };
  write(name: string, text: string): void;
  read(name: string): string;
  run(args: readonly string[], options?: { stdin?: string; env?: NodeJS.ProcessEnv }): Promise<Ended>;
  /** The same in this process, where a process isn't the point: see `commandHere`. */
  runHere(args: readonly string[], options?: { env?: NodeJS.ProcessEnv }): Promise<Ended>;
  /** Starts a command without waiting for its end. */
  start(args: readonly string[]): ChildProcess;
  terminal(args: readonly string[], size?: TerminalSize): OnTerminal;
  /** `worker`, as soon as it works. */
  worker(args?: readonly string[]): Promise<WorkerCommand>;
  /** Stops the server. */
  close(): Promise<void>;
}

/**
 * `env`: variables that all its commands get, besides a plain environment without servers and keys. `command`: the Node and
 * the command that run; left out: this process's, and the one of this project.
 */
export function cliFolder(
  env: NodeJS.ProcessEnv = {},
  [node, bin]: readonly [node: string, bin: string] = [process.execPath, ownBin],
): CliFolder {
  const path = temporaryFolder('cli');
  // As by npx: so commands begin that are printed.
  const npx = { npm_command: 'exec' };
  const environment = { ...plainEnvironment(), ...npx, XDG_CONFIG_HOME: join(path, '.config'), ...env };
  const start: CliFolder['start'] = (args) =>
    spawn(node, [bin, ...args], { cwd: path, env: environment, stdio: 'pipe' });
  const folder: CliFolder = {
    path,
    command: { node, bin, env: environment },
    write: (name, text) => {
      mkdirSync(join(path, name, '..'), { recursive: true });
      writeFileSync(join(path, name), text);
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    run: (args, options = {}) => {
      const child = spawn(node, [bin, ...args], {
        cwd: path,
        env: { ...environment, ...options.env },
        stdio: 'pipe',
      });
      return endOf(child, args, options.stdin ?? '');
    },
    runHere: async (args, options = {}) => {
      const env = { ...environment, ...options.env };
      const { stdout, stderr, code } = await commandHere(args, { cwd: path, env, bin });
      return { code, stdout, stderr, json: () => oneDocument(stdout, stderr) };
    },
    start,
    terminal: (args, size) =>
      runOnTerminal([node, bin, ...args], { cwd: path, env: environment, longestMs }, size),
    worker: (args = []) => workerOf(start(['worker', ...args])),
    close: async () => {
      await folder[bin === ownBin ? 'runHere' : 'run'](['server', 'stop']);
    },
  };
  return folder;
}

/** Neither servers nor keys of whoever runs the tests; a server that a broken test leaves behind ends by itself. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(TEMPORAL|TACTUS|OPENAI|ANTHROPIC|NO_COLOR|FORCE_COLOR|CI$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), TACTUS_TEMPORAL_SERVER_IDLE: '2m' };
}

async function workerOf(child: ChildProcess): Promise<WorkerCommand> {
  const ended = new Promise<number | null>((done) => child.on('close', done));
  let said = '';
  await new Promise<void>((works, fails) => {
    child.stderr?.on('data', (data: Buffer) => {
      said += data.toString();
      if (said.includes('Working for')) works();
    });
    void ended.then(() => fails(new Error(`the worker ended before it worked: ${said}`)));
  });
  return {
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function endOf(child: ChildProcess, args: readonly string[], stdin: string): Promise<Ended> {
  return new Promise((resolveEnd, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')} did not end; it said:\n${stdout}\n${stderr}`));
    }, longestMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolveEnd({ code, stdout, stderr, json: () => oneDocument(stdout, stderr) });
    });
  });
}

function oneDocument(stdout: string, stderr: string): JsonObject {
  try {
    return JSON.parse(stdout) as JsonObject;
  } catch {
    throw new Error(`Not one JSON document: ${stdout}\nstderr: ${stderr}`);
  }
}
