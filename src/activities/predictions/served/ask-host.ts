import { Context } from '@temporalio/activity';
import type { Logger } from '@temporalio/common';
import { TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { assertInstalled } from '../../packages/installed.js';
import { Fault } from '../../retries/failures.js';
import { hostedTypes, type HostAnswer, type HostedType, type ModelsHeld } from './host/model-kind.js';
import type { ModelHost, ModelRunner } from './model-host.js';
import { findModel } from './model-place.js';

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
