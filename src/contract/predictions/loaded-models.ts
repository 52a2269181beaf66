import { TactusError } from '../errors.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';
import { isPythonModelType, isServedType, type ServedType } from './served-model.js';

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
  return isPythonModelType(type);
}

function invalid(problem: string): TactusError {
  return new TactusError('config_invalid', problem);
}

/**
 * What a worker in Python may read of models though it can run code, such as a pickle: a JSON list of hashes of files,
 * `sha256:…`, and of folders below its folder of models.
 */
export const trustedModelsVariable = 'TACTUS_TEMPORAL_TRUSTED_MODELS';

const hash = /^sha256:[0-9a-f]{64}$/;

/**
 * @param where named in errors
 * @throws TactusError config_invalid where it is no list of hashes and folders
 */
export function readTrustedModels(given: JsonValue, where: string): string[] {
  const list: readonly JsonValue[] = Array.isArray(given) ? given : [given];
  return list.map((each) => {
    if (typeof each !== 'string' || each === '' || (each.startsWith('sha256:') && !hash.test(each)))
      throw new TactusError(
        'config_invalid',
        `${where} must be a list of hashes (sha256: and 64 digits of hex) and of folders in the folder of models`,
      );
    return each;
  });
}

/** The folder of models where nobody names another one, in the working folder. */
export const usualModelsFolder = 'models';

/** Where prediction models lie: a folder, from the working folder. */
export const modelsFolderVariable = 'TACTUS_TEMPORAL_MODELS_FOLDER';

/** How much of prediction models is loaded at once: `500MB`, `4GB`. */
export const modelMemoryVariable = 'TACTUS_TEMPORAL_MODEL_MEMORY';

const units: Record<string, number> = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** `4GB` in bytes; null where it is nothing of the kind. */
export function readMemory(text: string): number | null {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(KB|MB|GB)$/i.exec(text.trim()) ?? [];
  const bytes = Number(amount) * (units[unit.toUpperCase()] ?? 0);
  return bytes > 0 ? bytes : null;
}
