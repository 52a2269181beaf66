import { TactusError } from '../../../../contract/errors.js';
import { isObject, type JsonValue } from '../../../../contract/json/json.js';

/** Names of classes, in the order of the model's outputs. */
export type Labels = readonly string[];

/**
 * A list of names, or a table of them by their number from 0.
 * @throws TactusError predict_failed
 */
export function readLabels(given: JsonValue): Labels | null {
  if (given === null) return null;
  const list = isObject(given) ? Object.keys(given).map((_, i) => given[String(i)] ?? null) : given;
  if (!Array.isArray(list) || list.length === 0 || !list.every((each) => typeof each === 'string'))
    throw wrong('labels must be a list of names, or a table of them by their number from 0');
  const labels = list;
  const double = labels.find((label, i) => labels.indexOf(label) !== i);
  if (double !== undefined) throw wrong(`labels has ${JSON.stringify(double)} twice`);
  return labels;
}

function wrong(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}
