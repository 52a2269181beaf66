import { createRequire, enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

/** The built command line, without its entry, which ends the process. */
const built = resolve(import.meta.dirname, '../../dist/cli/program.js');

export interface EndedHere {
  code: number;
  stdout: string;
  stderr: string;
}

export interface HereOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  bin: string;
}

/** Like a process that is killed; what it does from then on has the folder of the tests. */
const longestMs = 120_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which has the SDK loaded already: a process of its own loads it for a second each time. The command has
 * the folder, the environment and the streams of this process to itself, so one is run after the other. For what a process does (signals,
 * stdin, terminals, commands that stay, two commands at once, `--verbose`, a module that was changed after it was loaded), start one.
 */
export function commandHere(args: readonly string[], options: HereOptions): Promise<EndedHere> {
  const ended = last.then(() => runHere(args, options));
  last = ended.catch(() => undefined);
  return ended;
}

async function runHere(args: readonly string[], { cwd, env, bin }: HereOptions): Promise<EndedHere> {
  const said = { stdout: '', stderr: '' };
  const before = { cwd: process.cwd(), env: { ...process.env }, argv: process.argv, code: process.exitCode };
  const release = (['stdout', 'stderr'] as const).map((name) =>
    capture(process[name], (text) => (said[name] += text)),
  );
  try {
    process.chdir(cwd);
    become(env);
    process.argv = [process.execPath, bin, ...args];
    process.exitCode = undefined;
    enableCompileCache();
    const { runProgram } = createRequire(import.meta.url)(built) as {
      runProgram: (args: readonly string[]) => Promise<void>;
    };
    await withinTime(
      runProgram(args),
      () => `${args.join(' ')} did not end; it said:\n${said.stdout}\n${said.stderr}`,
    );
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    for (const end of release) end();
    process.argv = before.argv;
    process.exitCode = before.code;
    become(before.env);
    process.chdir(before.cwd);
  }
}

async function withinTime(ended: Promise<void>, problem: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(problem())), longestMs);
  });
  await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

function become(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

type Written = (error?: Error | null) => void;

function capture(stream: NodeJS.WriteStream, take: (text: string) => void): () => void {
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...more: (BufferEncoding | Written | undefined)[]) => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const written = more.at(-1);
    if (typeof written === 'function') written();
    return true;
  };
  return () => {
    stream.write = write;
  };
}
