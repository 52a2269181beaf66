import { TactusError } from '../../contract/errors.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  isServedType,
  nodeModelTypes,
  pythonModelTypes,
  type Prediction,
  type ServedModel,
  type ServedType,
} from '../../contract/predictions/served-model.js';
import { readDuration } from '../../contract/time/duration.js';
import { DeclaredList, readRetry, readSchema, type Bridge, type Schema } from '../kernel/index.js';
import { readCombination, type Combination } from './combined-model.js';
import { readLlmModel, type LlmModel } from './llm-model.js';

/** Who answers. */
type ModelSource =
  | { kind: 'simple'; backend: Prediction['backend'] }
  | { kind: 'llm'; llm: LlmModel }
  | { kind: 'served'; backend: ServedModel; batch: number }
  | { kind: 'combined'; combination: Combination; members: readonly ModelDeclaration[] }
  /** Models of this type can be declared and mocked here, and nothing else. */
  | { kind: 'none' };

export interface ModelDeclaration {
  name: string | null;
  /** Lower-case `model` gives raw values, `Model` wraps them as `{output = …}`. */
  raw: boolean;
  /** As it is written: one of `modelTypes`. */
  type: string;
  source: ModelSource;
  input: Schema | null;
  output: Schema | null;
}

export const declaredModels = new DeclaredList<ModelDeclaration>();

/** Questions of one activity, at most, where a declaration doesn't say. */
export const usualBatch = 1_000;

/** Types of models that there are: each runs here. */
export const modelTypes: readonly string[] = [
  ...['mock', 'http', 'llm', ...nodeModelTypes, ...pythonModelTypes],
  ...['ensemble', 'ab_test', 'traffic_split'],
];

interface WrittenModel {
  name: string | null;
  raw: boolean;
  config: JsonValue;
}

/** @throws TactusError source_invalid, unknown_model */
export function readModel(bridge: Bridge, { name, raw, config }: WrittenModel): ModelDeclaration {
  const what = `Model${name === null ? '' : ` "${name}"`}`;
  const fields: JsonObject = isObject(config) ? config : {};
  const schema = (key: string): Schema | null => {
    const declared = fields[key] ?? null;
    return declared === null ? null : readSchema(declared, `${what}: ${key}`);
  };
  const { type = null } = fields;
  if (typeof type !== 'string' || !modelTypes.includes(type))
    throw new TactusError(
      'unknown_model',
      `${what}: the type ${JSON.stringify(type)} is not known; there are ${modelTypes.join(', ')}`,
    );
  const source = readSource(bridge, type, fields, name, what);
  return { name, raw, type, source, input: schema('input'), output: schema('output') };
}

function readSource(
  bridge: Bridge,
  type: string,
  fields: JsonObject,
  name: string | null,
  what: string,
): ModelSource {
  if (type === 'llm') return { kind: 'llm', llm: readLlmModel(bridge, fields, what) };
  if (type === 'mock') return { kind: 'simple', backend: { type, value: fields['value'] ?? null } };
  if (type === 'http') return { kind: 'simple', backend: readEndpoint(bridge, fields, what) };
  if (!bridge.holds('served-models')) return { kind: 'none' };
  if (isServedType(type)) {
    const backend = readServedModel(type, named(bridge, type, fields), name, what);
    return { kind: 'served', backend, batch: readBatch(fields['batch_size'] ?? usualBatch, what) };
  }
  const combined = readCombination(type, fields, what);
  if (combined === null) return { kind: 'none' };
  const members = combined.members.map(({ name: own, config }, i) =>
    readModel(bridge, { name: own ?? `${name ?? type}.${i + 1}`, raw: true, config }),
  );
  return { kind: 'combined', combination: combined.combination, members };
}

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

/** Folders of models of texts have a third name for their field, which runs of before told the worker as a setting. */
function named(bridge: Bridge, type: ServedType, fields: JsonObject): JsonObject {
  const { model_name: modelName = null, ...rest } = fields;
  if (modelName === null || !needs[type].includes('model') || !bridge.holds('model-names')) return fields;
  return { model: modelName, ...rest };
}

/**
 * What a declaration says of a model that a worker has.
 * @param name by which it is declared, if it is
 * @throws TactusError source_invalid naming the field
 */
function readServedModel(
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

function readBatch(size: JsonValue, what: string): number {
  if (Number.isInteger(size) && Number(size) > 0 && Number(size) <= 10_000) return Number(size);
  throw new TactusError('source_invalid', `${what}: batch_size must be an integer from 1 to 10000`);
}

function readEndpoint(
  bridge: Bridge,
  { endpoint, headers, timeout, retries, retry, method, response, cost_per_call: cost }: JsonObject,
  what: string,
): Prediction['backend'] {
  if (typeof endpoint !== 'string' || !/^https?:\/\//.test(endpoint))
    throw new TactusError('source_invalid', `${what}: endpoint must be an http or https address`);
  const again = readRetry(
    { ...defined({ retries, retry }) },
    what,
    'source_invalid',
    bridge.holds('retry-time'),
  );
  return {
    type: 'http',
    endpoint,
    timeoutMs: readDuration(timeout ?? 30, `${what}: timeout`, 'source_invalid'),
    headers: isObject(headers ?? null) ? (headers as JsonObject) : {},
    ...(again === null ? {} : { retry: again }),
    ...(bridge.holds('served-models') ? readExchange({ method, response, cost }, what) : {}),
  };
}

const methods = ['POST', 'PUT', 'PATCH'] as const;

function readExchange(
  { method, response, cost }: Record<'method' | 'response' | 'cost', JsonValue | undefined>,
  what: string,
): Pick<Extract<Prediction['backend'], { type: 'http' }>, 'method' | 'response' | 'cost'> {
  const known = methods.find((each) => each === method);
  if (method !== undefined && known === undefined)
    throw new TactusError('source_invalid', `${what}: method must be one of ${methods.join(', ')}`);
  if (response !== undefined && (typeof response !== 'string' || response === ''))
    throw new TactusError(
      'source_invalid',
      `${what}: response must say where the prediction stands in the answer, such as "predictions.0.label"`,
    );
  if (cost !== undefined && !(typeof cost === 'number' && cost >= 0))
    throw new TactusError('source_invalid', `${what}: cost_per_call must be a number of dollars`);
  return {
    ...defined({ method: known, response, cost }),
  };
}
