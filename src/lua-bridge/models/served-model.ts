import { readDuration } from '../../contract/time/duration.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { ServedModel, ServedType } from '../../contract/predictions/served-model.js';
import { readRetry } from '../values/retry-policy.js';

/** Time that one attempt may take where nobody says otherwise, in seconds: the first has to load the model. */
const usualSeconds = 300;

/** What the run sees to itself, and no worker is told. */
const ofRun = [
  ...['type', 'input', 'output', 'description', 'timeout', 'retries', 'retry', 'task_queue', 'batch_size'],
  ...['training', 'cost_per_call', 'name'],
];

/** Of each type: the fields of which it needs one. The name that a model is declared by does for `name`. */
const needs: Record<ServedType, readonly string[]> = {
  onnx: ['path'],
  bert: ['path', 'model'],
  hf_sequence_classifier: ['path', 'model'],
  sentence_transformers: ['path', 'model'],
  sagemaker: ['endpoint'],
  sklearn: ['path'],
  pytorch: ['path'],
  registry: ['name'],
  naive_bayes: ['name'],
  python: ['name'],
};

/**
 * What a declaration says of a model that a worker has.
 * @param name by which it is declared, if it is
 * @throws TactusError source_invalid naming the field
 */
export function readServedModel(
  type: ServedType,
  fields: JsonObject,
  name: string | null,
  what: string,
): ServedModel {
  const { task_queue: taskQueue, timeout } = fields;
  const said = name === null ? fields : { name, ...fields };
  const wanted = needs[type];
  const found = wanted.find((field) => (said[field] ?? null) !== null);
  if (found === undefined)
    throw new TactusError(
      'source_invalid',
      `${what}: a model of the type "${type}" needs ${wanted.join(' or ')}`,
    );
  const value = said[found];
  if (typeof value !== 'string' || value.trim() === '')
    throw new TactusError('source_invalid', `${what}: ${found} must be a text that isn't empty`);
  if (taskQueue !== undefined && (typeof taskQueue !== 'string' || taskQueue.trim() === ''))
    throw new TactusError('source_invalid', `${what}: task_queue must be the name of a task queue`);
  const retry = readRetry(fields, what, 'source_invalid', true);
  const settings = Object.fromEntries(
    Object.entries(said).filter(([field]) => !ofRun.includes(field) && !wanted.includes(field)),
  );
  return {
    type,
    settings: { ...settings, [wanted[0] ?? found]: value },
    timeoutMs: readDuration(timeout ?? usualSeconds, `${what}: timeout`, 'source_invalid'),
    ...(retry === null ? {} : { retry }),
    ...(taskQueue === undefined ? {} : { taskQueue: taskQueue.trim() }),
  };
}
