import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../../contract/errors.js';

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
