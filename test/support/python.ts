import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.js';

const root = resolve(import.meta.dirname, '../..');

interface Packages {
  python: string;
  packages: string;
}

interface Paths {
  pythonPackages?: Packages | null;
  pythonModels?: Packages | null;
  pytorch?: Packages | null;
  tactusControl?: Packages | null;
  lupa?: Packages | null;
}

/** Python with the wheel of our package, and with the reference. */
export interface Python {
  /** Runs a program, and gives what it wrote. @throws with what it wrote to stderr */
  run(args: readonly string[], options?: RunOptions): Promise<string>;
  /** The same of a file in `test/python`, which writes one JSON document. */
  script<T>(file: string, args: readonly string[], options?: RunOptions): Promise<T>;
  /** Starts a program, and leaves it running; what it says goes to the pipe `stderr`. */
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** The same with more in its environment. */
  with(env: NodeJS.ProcessEnv): Python;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

const longestMs = 120_000;
const execute = promisify(execFile);

/**
 * Null where the set-up could not get what it takes: then `what` isn't tested, unless it must be.
 * @throws where PYTHON_TEST is `required`
 */
export function pythonOr(what: string): Promise<Python | null> {
  const { tactusControl, lupa } = paths();
  return pythonWith(what, [tactusControl, lupa]);
}

/** The same with scikit-learn and what else reads models. */
export function modelsPythonOr(what: string): Promise<Python | null> {
  const { pythonModels, tactusControl, lupa } = paths();
  return pythonWith(what, [pythonModels, tactusControl, lupa]);
}

/**
 * The same with PyTorch and transformers, gigabytes that the set-up fetches only where it is asked to.
 * @throws where PYTORCH_TEST is `required`
 */
export async function pytorchOr(what: string): Promise<Python | null> {
  const { pytorch, pythonModels, tactusControl, lupa } = paths();
  if (pytorch != null && existsSync(pytorch.packages))
    return pythonWith(what, [pytorch, pythonModels, tactusControl, lupa]);
  if (process.env['PYTORCH_TEST'] === 'required')
    throw new Error(`${what} must be tested, and the set-up has no PyTorch`);
  process.stderr.write(`skipped: ${what}, for which PYTORCH_TEST=required has the set-up fetch PyTorch\n`);
  return null;
}

async function pythonWith(
  what: string,
  others: readonly (Packages | null | undefined)[],
): Promise<Python | null> {
  const own = paths().pythonPackages;
  const dist = join(root, 'python', 'dist');
  const found = others.flatMap((each) => each?.packages ?? []);
  if (own == null || found.length < others.length || !existsSync(dist)) {
    if (process.env['PYTHON_TEST'] === 'required')
      throw new Error(`${what} must be tested, and the set-up has no Python for it`);
    process.stderr.write(`skipped: ${what}, for which the set-up has no Python\n`);
    return null;
  }
  const wheel = readdirSync(dist).find((name) => name.endsWith('.whl')) ?? '';
  const unpacked = temporaryFolder('wheel');
  await execute(own.python, ['-m', 'zipfile', '-e', join(dist, wheel), unpacked]);
  const path = [unpacked, own.packages, ...found].join(delimiter);
  return pythonIn(own.python, { PYTHONPATH: path, PYTHONNOUSERSITE: '1', PYTHONDONTWRITEBYTECODE: '1' });
}

function pythonIn(python: string, env: NodeJS.ProcessEnv): Python {
  // Nothing of this machine's own: neither packages of the user's, nor an address of a server.
  const { PATH, HOME } = process.env;
  const surroundings = (options: RunOptions): { env: NodeJS.ProcessEnv; cwd: string } => ({
    env: { PATH, HOME, ...env, ...options.env },
    cwd: options.cwd ?? temporaryFolder('python'),
  });
  const run: Python['run'] = async (args, options = {}) => {
    const { stdout } = await execute(python, [...args], {
      ...surroundings(options),
      timeout: longestMs,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  return {
    run,
    script: async <T>(file: string, args: readonly string[], options: RunOptions = {}) =>
      JSON.parse(await run([join(root, 'test', 'python', file), ...args], options)) as T,
    start: (args, options = {}) =>
      spawn(python, args, { ...surroundings(options), stdio: ['ignore', 'inherit', 'pipe'] }),
    with: (more) => pythonIn(python, { ...env, ...more }),
  };
}

function paths(): Paths {
  return JSON.parse(readFileSync(join(root, '.toolchain', 'paths.json'), 'utf8')) as Paths;
}
