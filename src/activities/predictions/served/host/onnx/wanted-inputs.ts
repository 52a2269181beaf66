import type { InferenceSession } from 'onnxruntime-node';
import { TactusError } from '../../../../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../../../../contract/json/json.js';
import { isDtype } from './dtypes.js';

/** What a model takes by one name. */
export interface WantedInput {
  name: string;
  dtype: string;
  /** null for a length that may be any; null altogether: nobody says. */
  shape: (number | null)[] | null;
}

/**
 * What a model takes, by its own word, and by the setting `inputs` where it says nothing.
 * @throws TactusError predict_failed where the two don't agree
 */
export function wantedInputs(session: InferenceSession, settings: JsonObject): WantedInput[] {
  const declared = settings['inputs'] ?? {};
  if (!isObject(declared) && !(Array.isArray(declared) && declared.length === 0))
    throw wrong('inputs must be a table such as { x = { dtype = "float32", shape = { 1, 4 } } }');
  const said: JsonObject = isObject(declared) ? declared : {};
  const odd = Object.keys(said).find((name) => !session.inputNames.includes(name));
  if (odd !== undefined)
    throw wrong(`inputs names ${odd}, and the model takes ${session.inputNames.join(', ')}`);
  return session.inputMetadata.map((meta) => {
    const { name } = meta;
    if (!meta.isTensor) throw wrong(`input ${name} is no tensor, and nothing else can be given`);
    const { dtype, shape } = readDeclared(getOwn(said, name) ?? null, name);
    if (dtype !== null && dtype !== meta.type)
      throw wrong(`inputs says ${dtype} of ${name}, and the model takes ${meta.type}`);
    return { name, dtype: meta.type, shape: joined(shapeOf(meta.shape), shape, name) };
  });
}

/** The runtime says nothing of an unknown shape, and nothing of a single value's. */
function shapeOf(shape: readonly (number | string)[]): (number | null)[] | null {
  if (shape.length === 0) return null;
  return shape.map((size) => (typeof size === 'number' && size >= 0 ? size : null));
}

function readDeclared(
  given: JsonValue,
  name: string,
): { dtype: string | null; shape: (number | null)[] | null } {
  if (given === null) return { dtype: null, shape: null };
  const { dtype = null, shape = null } = isObject(given) ? given : {};
  if (!isObject(given) || (dtype !== null && !(typeof dtype === 'string' && isDtype(dtype))))
    throw wrong(`inputs must say of ${name} { dtype = "float32", shape = { 1, 4 } }, one of them or both`);
  if (shape === null) return { dtype, shape };
  if (!Array.isArray(shape)) throw wrong(`inputs must say the shape of ${name} as a list, such as { 1, 4 }`);
  return { dtype, shape: shape.map((size) => (typeof size === 'number' && size > 0 ? size : null)) };
}

function joined(
  own: (number | null)[] | null,
  declared: (number | null)[] | null,
  name: string,
): (number | null)[] | null {
  if (own === null || declared === null) return own ?? declared;
  const differ = own.some(
    (size, i) => size !== null && (declared[i] ?? null) !== null && size !== declared[i],
  );
  if (own.length !== declared.length || differ)
    throw wrong(`inputs says ${shapeText(declared)} of ${name}, and the model takes ${shapeText(own)}`);
  return own.map((size, i) => size ?? declared[i] ?? null);
}

/** `[any, 4]`. */
export function shapeText(shape: readonly (number | null)[]): string {
  return `[${shape.map((size) => size ?? 'any').join(', ')}]`;
}

function wrong(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}
