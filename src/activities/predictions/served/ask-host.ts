import { Context } from '@temporalio/activity';
import type { Logger } from '@temporalio/common';
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { ModelRun, ModelRunResult } from '../../../contract/predictions/served-model.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { assertInstalled } from '../../packages/installed.js';
import { createQueue, Fault } from '../../retries/failures.js';
import {
  hostedTypes,
  type HostAnswer,
  type HostedType,
  type HostRequest,
  type ModelsHeld,
} from './host/model-kind.js';
import { findModel } from './model-place.js';

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

/** What is loaded there, in all, unless somebody says otherwise: bytes of their files. */
const usualModelMemory = 2_000_000_000;

const packages: Record<HostedType, readonly string[]> = {
  onnx: ['onnxruntime-node'],
  bert: ['@huggingface/transformers'],
  hf_sequence_classifier: ['@huggingface/transformers'],
  sentence_transformers: ['@huggingface/transformers'],
};

/** A question to a model of files; without inputs it is loaded alone. */
export interface HostQuestion {
  type: string;
  settings: JsonObject;
  inputs: JsonValue[];
}

/**
 * Has the process beside this one answer.
 * @throws TactusError missing_package, file_failed; Fault where the process dies; the signal's reason
 */
async function askHost(
  deps: ActivityDeps,
  host: ModelHost,
  { type: given, settings, inputs }: HostQuestion,
  signal: AbortSignal,
): Promise<HostAnswer> {
  const type = hostedTypes.find((each) => each === given);
  if (type === undefined) throw new TactusError('internal', `${given} is no type of models of files`);
  assertInstalled(`Models of the type "${type}" need`, packages[type]);
  const { path = '' } = settings as JsonObject & { path?: string };
  const { root, place } = await findModel(deps, path);
  const memoryBytes = deps.modelMemoryBytes ?? usualModelMemory;
  return host.ask({ type, place, root, path, settings, inputs, memoryBytes }, signal);
}

/** Whoever runs the worker sees what it has in memory. */
function logHeldModels(
  log: Pick<Logger, 'info'>,
  { loaded, dropped }: ModelsHeld,
  more: Record<string, string> = {},
): void {
  if (loaded !== undefined) log.info('A prediction model was loaded', { ...more, ...loaded });
  for (const path of dropped) log.info('A prediction model gave way to another', { path });
}

/** Asks a model of files, in the process beside this one. */
export const runInHost: ModelRunner = async ({ deps, run, signal, host }) => {
  const { type, settings } = run.backend;
  const answer = await askHost(deps, host, { type, settings, inputs: run.inputs }, signal);
  logHeldModels(Context.current().log, answer.held, { model: run.model });
  if (answer.ok) return { outputs: answer.outputs, cost: null, version: answer.version };
  const { code, message, retryable } = answer;
  if (retryable || code === 'predict_failed') throw new Fault(message, { retryable });
  throw new TactusError(code, message);
};

/**
 * Loads the models that a worker is to have in memory, one after the other; whoever asks meanwhile comes after them. What can't
 * be loaded is told, and keeps nobody from working: who asks for it is told again.
 */
export async function warmModels(
  deps: ActivityDeps,
  host: ModelHost,
  log: Pick<Logger, 'info' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  // All are asked for at once, so that no question comes between them.
  await Promise.all(
    (deps.warmModels ?? []).map(async ({ type, settings }) => {
      const path = typeof settings['path'] === 'string' ? settings['path'] : type;
      const untold = (reason: string): void => {
        if (!signal.aborted) log.warn(`The model ${path} could not be loaded ahead: ${reason}`);
      };
      try {
        const answer = await askHost(deps, host, { type, settings, inputs: [] }, signal);
        logHeldModels(log, answer.held);
        if (!answer.ok) untold(answer.message);
      } catch (error) {
        untold(error instanceof Error ? error.message : String(error));
      }
    }),
  );
}
