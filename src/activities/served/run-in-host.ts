import { Context } from '@temporalio/activity';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json.js';
import { assertInstalled } from '../assert-installed.js';
import { Fault } from '../fault.js';
import type { ModelsHeld } from './host/messages.js';
import { hostedTypes, type HostedType } from './hosted-type.js';
import { findModel } from './model-place.js';
import type { ModelRunner } from './model-runner.js';

/** What is loaded there, in all, unless somebody says otherwise: bytes of their files. */
export const usualModelMemory = 2_000_000_000;

const packages: Record<HostedType, readonly string[]> = {
  onnx: ['onnxruntime-node'],
  bert: ['@huggingface/transformers'],
  hf_sequence_classifier: ['@huggingface/transformers'],
  sentence_transformers: ['@huggingface/transformers'],
};

/** Asks a model of files, in the process beside this one. */
export const runInHost: ModelRunner = async ({ deps, run, signal, host }) => {
  const { type: given, settings } = run.backend;
  const type = hostedTypes.find((each) => each === given);
  if (type === undefined) throw new TactusError('internal', `${given} is no type of models of files`);
  assertInstalled(`Models of the type "${type}" need`, packages[type]);
  const { path = '' } = settings as JsonObject & { path?: string };
  const { root, place } = await findModel(deps, path);
  const memoryBytes = deps.modelMemoryBytes ?? usualModelMemory;
  const answer = await host.ask(
    { type, place, root, path, settings, inputs: run.inputs, memoryBytes },
    signal,
  );
  tellHeld(run.model, answer.held);
  if (answer.ok) return { outputs: answer.outputs, cost: null, version: answer.version };
  const { code, message, retryable } = answer;
  if (retryable || code === 'predict_failed') throw new Fault(message, { retryable });
  throw new TactusError(code, message);
};

/** Whoever runs the worker sees what it has in memory. */
function tellHeld(model: string, { loaded, dropped }: ModelsHeld): void {
  const { log } = Context.current();
  if (loaded !== undefined) log.info('A prediction model was loaded', { model, ...loaded });
  for (const path of dropped) log.info('A prediction model gave way to another', { path });
}
