import { cpSync } from 'node:fs';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/contract/json/json.js';
import type { LogEntryView, LogPage, RunView } from '../../src/contract/runs/run-view.js';
import { cliFolder, type CliFolder, type WorkerCommand } from '../support/cli-folder.js';
import type { OnTerminal } from '../support/on-terminal.js';
import { casesFolder } from './recorded-case.js';

/** The cases in a working folder with its embedded server, as somebody has them who uses the command line. */
export interface CaseFolder extends CliFolder {
  /** Starts one worker for all that follows. Until then, each command that performs anything brings its own. */
  work(): Promise<void>;
  /** Runs a command that must end with this exit code; its document. */
  json<T extends object = JsonObject>(args: readonly string[], code?: number): Promise<T>;
  /** Starts or resumes a run, and follows it until it has ended or waits for a person. */
  follow(args: readonly string[]): Promise<RunView>;
  /** The whole execution log of a run. */
  log(runId: string): Promise<LogEntryView[]>;
  /** The same of one that was seen: without checkpoints there is nothing to ask for. */
  logOf(view: RunView): Promise<LogEntryView[]>;
  /** Runs a case at a terminal, with a worker in its process, until a person is asked this. */
  untilAsked(file: string, runId: string, message: string): Promise<OnTerminal>;
}

export async function caseFolder(env: NodeJS.ProcessEnv = {}): Promise<CaseFolder> {
  const folder = cliFolder(env);
  cpSync(casesFolder, folder.path, { recursive: true });
  const started = await folder.run(['server', 'start', '--json']);
  let worker: WorkerCommand | null = null;
  // Named, the server is somebody else's: commands bring no worker of their own.
  const shared = (): string[] => (worker === null ? [] : ['--address', started.json()['address'] as string]);
  const json: CaseFolder['json'] = async <T>(args: readonly string[], code = 0) => {
    const ended = await folder.run([...args, '--json', ...shared()]);
    expect(ended.code, `${args.join(' ')}\n${ended.stderr}`).toBe(code);
    return ended.json() as T;
  };
  const log: CaseFolder['log'] = async (runId) => (await json<LogPage>(['log', runId])).execution_log;
  return {
    ...folder,
    json,
    log,
    logOf: async ({ run_id: runId, checkpoints }) => (checkpoints === 0 ? [] : log(runId)),
    work: async () => {
      worker = await folder.worker();
    },
    follow: async (args) => {
      const ended = await folder.run([...args, '--json', ...shared()]);
      const view = ended.json() as unknown as RunView;
      const codes: Record<string, number> = { completed: 0, failed: 1 };
      expect(ended.code, ended.stderr).toBe(codes[view.status] ?? 3);
      return view;
    },
    terminal: (args) => folder.terminal([...args, ...shared()]),
    untilAsked: async (file, runId, message) => {
      const terminal = folder.terminal(['run', file, '--id', runId]);
      await terminal.shows(message);
      return terminal;
    },
    close: async () => {
      await worker?.stop();
      await folder.close();
    },
  };
}
