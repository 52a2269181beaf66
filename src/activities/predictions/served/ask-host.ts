import { TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { assertInstalled } from '../../packages/installed.js';
import { hostedTypes, type HostedType } from './hosted-type.js';
import type { HostAnswer } from './host/messages.js';
import type { ModelHost } from './model-host.js';
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
export async function askHost(
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
