import { Command } from 'commander';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { connectionTarget } from '../connection.js';
import {
  TactusError,
  aborted,
  act,
  exitCodes,
  interruption,
  type CommonOptions,
  type ExitCode,
  type Screen,
  collect,
} from '../command.js';
import { configure } from '../configure.js';
import { toCommandError } from '../terminal/to-command-error.js';
import { serveOptions, type ServeFlags } from './serve-command.js';
import { proceduresIn } from '../../sources/find-procedure.js';
import { noCodec } from '../../contract/payloads/codec-settings.js';
import { isSource, watchSources } from '../specifications/watch-sources.js';
import type { JsonObject } from '../../contract/json/json.js';
import { diagnosticText, summaryText } from '../procedures/diagnostic-text.js';
import { validateFiles } from '../procedures/validate-command.js';

/** `dev`: server, worker, HTTP API and page of a working folder, which follow its files. */
export function devCommand(): Command {
  return new Command('dev')
    .description(
      'embedded server, worker, HTTP API and page until interrupted; what changes is checked and loaded anew',
    )
    .option('--port <number>', 'port to listen on; 0 for any free port (default: 8700)')
    .option('--procedures <dir>', 'folder of procedures that may be started; may be repeated', collect, [])
    .action(
      act(async ({ options, screen }, flags: ServeFlags) => {
        if (connectionTarget(options).connection !== null)
          throw new TactusError(
            'usage',
            'dev works with the embedded server alone: with a server elsewhere, use worker and serve',
          );
        const env = { ...process.env };
        const { folders } = await serveOptions(flags, screen);
        const { signal, dispose } = interruption();
        try {
          const args = [
            ...passedOn(options),
            ...flags.procedures.flatMap((folder) => ['--procedures', folder]),
          ];
          return await develop({ args, port: flags.port ?? null, folders, env }, screen, signal);
        } finally {
          dispose();
        }
      }),
    );
}

function passedOn({
  namespace,
  taskQueue,
  files,
  codecEndpoint,
  quiet,
  verbose,
  color,
}: CommonOptions): string[] {
  return [
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...(taskQueue === undefined ? [] : ['--task-queue', taskQueue]),
    ...(files === undefined ? [] : ['--files', files]),
    ...(codecEndpoint === undefined ? [] : ['--codec-endpoint', codecEndpoint]),
    ...(quiet === true ? ['--quiet'] : []),
    ...(verbose === true ? ['--verbose'] : []),
    ...(color === false ? ['--no-color'] : []),
  ];
}

/** What `serve --json` says as soon as it listens. */
interface Serving {
  url: string;
  host: string;
  port: number;
  authentication: string[];
  namespaces: string[];
}

interface Refused {
  error: JsonObject;
}

/**
 * `serve` in a process of its own: code of tools is loaded anew by a new process alone. Its messages come to our stderr.
 * It dies with this one, and hears of Ctrl-C from this one alone, so that it can end in order.
 */
class ServedChild {
  /** How it ended; null where it was killed. */
  readonly ended: Promise<ExitCode | null>;
  private readonly child: ChildProcess;

  /** `env`: as it was before configuration added to it, which the child reads itself. */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [process.argv[1] ?? '', 'serve', '--json', ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...env, TACTUS_TEMPORAL_LAUNCHED: '1' },
      detached: true,
    });
    this.ended = new Promise((done) => this.child.on('exit', (code) => done(code as ExitCode | null)));
  }

  /** What it says first: that it listens, or why it can't. null: it was killed before. */
  async told(): Promise<Serving | Refused | null> {
    const { stdout } = this.child;
    if (stdout === null) return null;
    const line = new Promise<string>((told) => createInterface({ input: stdout }).once('line', told));
    const said = await Promise.race([line, this.ended]);
    return typeof said === 'string' ? (JSON.parse(said) as Serving | Refused) : null;
  }

  /** Lets it end what is in flight. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}

interface DevelopOptions {
  /** What `serve` is told, besides the port. */
  args: readonly string[];
  /** As text; null: what configuration says, else the usual one. */
  port: string | null;
  folders: readonly string[];
  /** What `serve` finds in its environment. */
  env: NodeJS.ProcessEnv;
}

const code = /\.[cm]?[jt]s$/i;

/**
 * Serves, and begins anew when configuration or the code of tools changes; changed procedures are checked, and the next run
 * has them. Runs go on over all of it.
 */
async function develop(
  { args, port: wanted, folders, env }: DevelopOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<ExitCode> {
  const interrupted = aborted(signal).then(() => null);
  const serve = (port: string | null): ServedChild =>
    new ServedChild([...args, ...(port === null ? [] : ['--port', port])], env);

  await tellProblems(allOf(folders), screen);
  let child: ServedChild | null = serve(wanted);
  const first = await Promise.race([child.told(), interrupted]);
  if (signal.aborted) {
    await child.stop();
    return exitCodes.done;
  }
  if (first === null || 'error' in first) {
    if (first !== null) screen.answer(first, () => '');
    return (await child.ended) ?? exitCodes.unreachable;
  }
  screen.answer(first, () => first.url);
  screen.note(
    'Procedures are checked when they change; configuration and tools are reloaded. Ctrl-C ends it.',
  );

  const watched = watchSources(
    [...folders, process.cwd(), ...(await moduleFolders(screen))],
    (path) => code.test(path) || isSource(path),
  );
  let change = watched.next();
  try {
    for (;;) {
      const ended = child?.ended.then(() => 'ended' as const) ?? new Promise<never>(() => undefined);
      const happened = await Promise.race([change, ended, interrupted]);
      if (happened === null) return exitCodes.done;
      if (happened === 'ended') {
        child = null;
        screen.warn('Nothing is served. The next change starts it again.');
        continue;
      }
      change = watched.next();
      const modules = await moduleFolders(screen);
      const reason = happened.find((path) => isOfWorker(path, modules));
      const changed = happened.filter(isSource);
      // What a procedure requires may be required by any.
      const isAlone = changed.every((path) => path.endsWith('.tac'));
      await tellProblems(isAlone ? changed : allOf(folders), screen);
      if (reason === undefined && child !== null) continue;
      screen.note(`${relative(process.cwd(), reason ?? happened[0] ?? '')} has changed: restarting …`);
      await child?.stop();
      child = serve(String(first.port));
      const again = await Promise.race([child.told(), interrupted]);
      if (again !== null && 'url' in again) screen.note(`Again at ${again.url}`);
    }
  } finally {
    watched.stop();
    await child?.stop();
  }
}

const allOf = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    proceduresIn(folder).map((file) => relative(process.cwd(), join(folder, file))),
  );

/** Configuration of the worker, and code that it has loaded. */
function isOfWorker(path: string, modules: readonly string[]): boolean {
  if (/\.ya?ml$/i.test(path)) return basename(dirname(path)) === '.tactus';
  return code.test(path) && modules.some((folder) => !relative(folder, resolve(path)).startsWith('..'));
}

/** Folders of modules that tools and the codec are loaded from: what these import stands beside them, or below. */
async function moduleFolders(screen: Screen): Promise<string[]> {
  const none = { tools: { toolModules: [] }, codec: noCodec };
  const { tools, codec } = await configure(null, {}, screen).catch(() => none);
  const modules = [...tools.toolModules, ...(codec.module === null ? [] : [codec.module])];
  return [...new Set(modules.map((path) => dirname(resolve(path))))];
}

/** Says what is wrong with procedures, and nothing of those that are gone. */
async function tellProblems(files: readonly string[], screen: Screen): Promise<void> {
  const there = files.filter((file) => existsSync(file));
  if (there.length === 0) return;
  try {
    const { isValid, diagnostics, texts } = await validateFiles(there, {}, screen);
    for (const each of diagnostics.filter(({ severity }) => severity !== 'info'))
      screen.warn(diagnosticText(each, texts.get(each.file), screen.paint));
    if (isValid) screen.note(summaryText(diagnostics, there));
    else screen.warn(summaryText(diagnostics, there));
  } catch (error) {
    // Of a file that was half written, or of its configuration: the next change mends it.
    screen.warn(`${screen.paint.red('error')} ${toCommandError(error).message}`);
  }
}
