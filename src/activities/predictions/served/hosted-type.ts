import type { ServedType } from '../../../contract/predictions/served-model.js';

/** Types of models that a worker loads into a process beside it. */
export const hostedTypes = [
  'onnx',
  'bert',
  'hf_sequence_classifier',
  'sentence_transformers',
] as const satisfies readonly ServedType[];

export type HostedType = (typeof hostedTypes)[number];
