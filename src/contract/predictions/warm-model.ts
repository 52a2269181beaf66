import { TactusError } from '../errors.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';
import { isServedType, pythonModelTypes, type ServedType } from './served-model.js';

/** Models that a worker loads before it is asked, as JSON: `[{"type": "onnx", "path": "iris.onnx"}]`. */
export const warmModelsVariable = 'TACTUS_TEMPORAL_WARM_MODELS';

/** A model that is to be in memory before the first question comes: what its declaration says. */
export interface WarmModel {
  /** `onnx`, `bert` … */
  type: string;
  /** `path` among it. */
  settings: JsonObject;
}

/** Of these nothing is loaded. */
const withoutFiles: readonly ServedType[] = ['sagemaker', 'python'];
/** Of these a name does. */
const registeredTypes: readonly ServedType[] = ['registry', 'naive_bayes'];

/**
 * Reads a list of models as procedures declare them: `{ type, path, … }`, or `{ type, name, … }` of registered ones.
 * @throws TactusError config_invalid with where the list stands
 */
export function readWarmModels(given: JsonValue, where: string): WarmModel[] {
  if (!Array.isArray(given))
    throw invalid(`${where} must be a list of models: [{type: onnx, path: iris.onnx}]`);
  return given.map((each, i) => {
    const place = `${where}[${i + 1}]`;
    const { type, ...settings } = isObject(each) ? each : {};
    if (typeof type !== 'string' || !isServedType(type) || withoutFiles.includes(type))
      throw invalid(`${place} must have the type of a model that is loaded, such as onnx or sklearn`);
    const { path, model, name, ...others } = settings;
    const file = path ?? model;
    const isNamed = file === undefined && registeredTypes.includes(type);
    const said = isNamed ? name : file;
    if (typeof said !== 'string' || said.trim() === '')
      throw invalid(`${place} must say which model it is: path, or name of a registered one, must be a text`);
    const more = name === undefined ? others : { ...others, name };
    return { type, settings: isNamed ? more : { ...more, path: said } };
  });
}

export function isOfPython({ type }: WarmModel): boolean {
  return pythonModelTypes.some((each) => each === type);
}

function invalid(problem: string): TactusError {
  return new TactusError('config_invalid', problem);
}
