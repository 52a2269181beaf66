import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../command.js';
import type { WarmModel } from '../../../contract/predictions/loaded-models.js';

/** What a worker in Python is started with. */
export interface PythonWorkerOptions {
  /** The executable of its environment. */
  python: string;
  address: string;
  namespace: string;
  taskQueue: string;
  /** Folder of models; null: where the worker looks for one by itself, if it is there. */
  models: string | null;
  /** Hashes and folders of files that may run code as they are read. */
  trusted: readonly string[];
  /** That register functions. */
  modules: readonly string[];
  /** Models that it loads before it is asked. */
  warm: readonly WarmModel[];
  /** Told what it says. */
  tell: (line: string) => void;
}

/** It was started with what it can't work with. */
const refused = 2;
/** Before it is started again; longer each time that it ends soon. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** A worker in Python that is started again where it dies. It ends with this process, however that ends. */
export class PythonWorker {
  /** Rejects where it can't work with what it was started with. */
  readonly ended: Promise<void>;
  private child: ChildProcess | null = null;
  private isStopping = false;
  private wake: () => void = () => undefined;

  constructor(private readonly options: PythonWorkerOptions) {
    this.ended = this.keep();
    this.ended.catch(() => undefined); // told to whoever waits for it
  }

  /** Lets predictions in flight end for a while. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    this.child?.kill('SIGTERM');
    await this.ended.catch(() => undefined);
  }

  private async keep(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.isStopping;) {
      const begun = performance.now();
      const code = await this.runOnce();
      if (this.isStopping) return;
      if (code === refused)
        throw new TactusError('config_invalid', 'The worker in Python does not start: see above');
      if (performance.now() - begun > longestPauseMs) pauseMs = firstPauseMs;
      this.options.tell(
        `The worker in Python has ended (${code ?? 'killed'}), and is started again in ${pauseMs / 1_000} s`,
      );
      await this.pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  private runOnce(): Promise<number | null> {
    const { python, address, namespace, taskQueue, models, trusted, modules, warm, tell } = this.options;
    const args = [
      '--address',
      address,
      '--namespace',
      namespace,
      '--task-queue',
      taskQueue,
      ...(models === null ? [] : ['--models', models]),
      ...trusted.flatMap((each) => ['--trust', each]),
    ];
    const child = spawn(
      python,
      [
        '-m',
        'tactus_temporal.worker',
        ...args,
        ...modules.flatMap((each) => ['--module', each]),
        ...warm.flatMap(({ type, settings }) => ['--warm', JSON.stringify({ type, ...settings })]),
        '--until-input-ends',
      ],
      // Of a group of its own: Ctrl-C is for this process, which lets it end in order. Its input ends with us.
      { stdio: ['pipe', 'ignore', 'pipe'], detached: process.platform !== 'win32' },
    );
    this.child = child;
    child.stdin.on('error', () => undefined); // it has ended, which `exit` says
    createInterface({ input: child.stderr }).on('line', tell);
    return new Promise((done, fail) => {
      child.once('error', ({ message }) =>
        fail(new TactusError('config_invalid', `The worker in Python can't be started: ${message}`)),
      );
      child.once('exit', done);
    });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** What `pip install 'tactus-temporal[…]'` may bring. */
export const pythonExtras = ['sklearn', 'pytorch', 'transformers'] as const;
export type PythonExtra = (typeof pythonExtras)[number];

interface CommandResult {
  code: number | null;
  stdout: string;
}

/** The set-up's, which are plain JavaScript and are found by their place. */
interface RunCommand {
  runCommand: (
    command: string,
    args: readonly string[],
    options: { timeoutMs: number },
  ) => Promise<CommandResult>;
  whyItFailed: (result: CommandResult) => string;
}
interface CacheFolder {
  cacheFolder: () => string;
}
interface PythonWithPip {
  pythonWithPip: () => Promise<string>;
}

const scripts = new URL('../../../../scripts/setup/', import.meta.url);
const wheels = fileURLToPath(new URL('../../../../python/dist/', import.meta.url));
/** What is installed, each by the hashes of its wheels: for a worker, and for each extra with it. */
const locks = fileURLToPath(new URL('../../../../python/locks/', import.meta.url));
/** PyTorch is some gigabytes. */
const longestMs = 3_600_000;
const aboutPython =
  "import sys; print(sys.implementation.cache_tag.replace('cpython-', 'cp')); print(sys.executable); print(*sys.version_info[:2])";

/**
 * The Python of an environment that has our package with these extras: made when there is none yet, kept for all working folders.
 * @param tell hears what is done, and how long that may take
 * Nothing is installed whose hash this package doesn't know.
 * @throws TactusError missing_package where Python, pip or our wheel isn't there, or pip fails
 */
export async function pythonEnvironment(
  extras: readonly PythonExtra[],
  tell: (text: string) => void,
): Promise<string> {
  const { runCommand, whyItFailed } = await script<RunCommand>('run-command');
  const { cacheFolder } = await script<CacheFolder>('cache-folder');
  const wheel = await ownWheel();
  const found = await findPython();
  const asked = await runCommand(found, ['-c', aboutPython], { timeoutMs: 10_000 });
  const [tag = '', python = '', version = ''] = asked.stdout.trim().split('\n');
  const [, minor = 0] = version.split(' ').map(Number);
  if (minor < 10) throw missing(`A worker in Python needs Python 3.10 or newer, and ${python} is older`);
  const wanted = ['worker', ...extras].map((name) => join(locks, `${name}.txt`));
  const hash = await hashOf([wheel, ...wanted]);
  const folder = join(cacheFolder(), ['python-worker', hash, tag, ...extras].join('-'));
  const executable = join(folder, ...inside);
  if (existsSync(executable)) return executable;
  tell(`Making an environment for Python in ${folder} …`);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.part-`);
  const run = async (command: string, args: readonly string[], what: string): Promise<void> => {
    const result = await runCommand(command, args, { timeoutMs: longestMs });
    if (result.code !== 0) throw missing(`${what}: ${whyItFailed(result)}`);
  };
  try {
    await run(python, ['-m', 'venv', draft], 'An environment for Python could not be made');
    tell(`Installing tactus-temporal${extras.length === 0 ? '' : ` with ${extras.join(', ')}`} …`);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    // Wheels alone: what is built from source runs as it is installed, by a program that has no hash.
    const checked = ['--require-hashes', '--only-binary=:all:', ...wanted.flatMap((file) => ['-r', file])];
    const what = 'pip could not install what a worker in Python needs';
    await run(join(draft, ...inside), [...pip, ...checked], what);
    await run(join(draft, ...inside), [...pip, '--no-index', wheel], what);
    // Whole or not at all; another command may have been quicker.
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(executable)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return executable;
}

async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 12);
}

const inside = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];

async function script<T>(name: string): Promise<T> {
  return (await import(new URL(`${name}.mjs`, scripts).href)) as T;
}

async function ownWheel(): Promise<string> {
  const names = existsSync(wheels) ? await readdir(wheels) : [];
  const name = names.find((each) => each.endsWith('.whl'));
  if (name === undefined) throw missing('This package was built without its wheel for Python');
  return join(wheels, name);
}

async function findPython(): Promise<string> {
  const { pythonWithPip } = await script<PythonWithPip>('python-with-pip');
  return pythonWithPip().catch((error: unknown) => {
    throw missing(
      `A worker in Python needs Python: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}

function missing(message: string): TactusError {
  return new TactusError('missing_package', message);
}
