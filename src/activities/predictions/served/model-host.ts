import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../../contract/errors.js';
import type { ModelRun, ModelRunResult } from '../../../contract/predictions/served-model.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { createQueue, Fault } from '../../retries/failures.js';
import type { HostAnswer, HostRequest } from './host/model-kind.js';

/** The process that runs models for one worker: there from the first question on, and asked one thing at a time. */
export interface ModelHost {
  /**
   * Where the signal aborts, the process is ended that is at it: nothing else stops a model. The next question gets another one.
   * @throws Fault, retryable, where the process dies; the signal's reason
   */
  ask(request: HostRequest, signal: AbortSignal): Promise<HostAnswer>;
  close(): void;
}

/** Beside the compiled files; for sources that run uncompiled, as in tests, in `dist`. */
const places = ['host/main.js', '../../../../dist/activities/predictions/served/host/main.js'];
/** What a process has of its worker's environment: no keys. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP'];
/** Of what it said last, in characters. */
const lastWords = 400;

export function createModelHost(): ModelHost {
  const queue = createQueue();
  let child: ChildProcess | null = null;
  let said = '';

  const start = (): ChildProcess => {
    const started = fork(mainModule(), [], {
      execArgv: [],
      env: Object.fromEntries(
        passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    said = '';
    started.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-lastWords)));
    started.once('exit', () => {
      if (child === started) child = null;
    });
    // It ends with its worker, and never keeps it.
    started.unref();
    started.channel?.unref();
    (started.stderr as Socket | null)?.unref();
    return started;
  };

  const askChild = (asked: ChildProcess, request: HostRequest, signal: AbortSignal): Promise<HostAnswer> =>
    new Promise((resolve, reject) => {
      const onMessage = (answer: HostAnswer): void => {
        settle(() => {
          resolve(answer);
        });
      };
      const onExit = (code: number | null, how: NodeJS.Signals | null): void => {
        settle(() => {
          reject(died(how ?? `exit code ${code}`, said));
        });
      };
      const onError = (error: Error): void => {
        settle(() => {
          reject(died(error.message, said));
        });
      };
      const onAbort = (): void => {
        if (child === asked) child = null;
        asked.kill('SIGKILL');
        settle(() => {
          reject(signal.reason as Error);
        });
      };
      const settle = (end: () => void): void => {
        asked.off('message', onMessage).off('exit', onExit).off('error', onError);
        signal.removeEventListener('abort', onAbort);
        end();
      };
      asked.on('message', onMessage).on('exit', onExit).on('error', onError);
      signal.addEventListener('abort', onAbort);
      asked.send(request, (error) => {
        // One that is dead already says so by its exit.
        if (error !== null && asked.exitCode === null && asked.signalCode === null) onError(error);
      });
    });

  return {
    ask: (request, signal) => queue(() => askChild((child ??= start()), request, signal), signal),
    close: () => {
      child?.kill('SIGKILL');
      child = null;
    },
  };
}

function died(how: string, said: string): Fault {
  const words = said.trim();
  return new Fault(`the process that runs models died (${how})${words === '' ? '' : `: ${words}`}`, {
    retryable: true,
  });
}

function mainModule(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    throw new TactusError('internal', 'The process that runs models is not built; run: npm run build');
  return path;
}

/** What a runner gets of one activity. */
export interface AskedRun {
  deps: ActivityDeps;
  run: ModelRun;
  /** The same at every attempt. */
  idempotencyKey: string;
  /** Aborts when nobody waits any longer, or the time of the attempt is over. */
  signal: AbortSignal;
  /** Who has models of files in memory. */
  host: ModelHost;
}

/**
 * Asks a model of one type about all inputs, or about as many as an answer has room for.
 * @throws Fault sorted by whether another attempt may go better; TactusError for what can't
 */
export type ModelRunner = (asked: AskedRun) => Promise<ModelRunResult>;
