import { TactusError } from '../../../../../contract/errors.js';
import type { JsonObject } from '../../../../../contract/json/json.js';
import type { Labels } from '../labels.js';

/** How far probabilities may be from 1 in all. */
const tolerance = 1e-3;

/**
 * A number for each class as probabilities: numbers from 0 to 1 that come to 1 are taken for such, others go through softmax. One
 * number for two classes is that of the second; where it isn't from 0 to 1, through the logistic function.
 * @param count how many classes there are; null: as many as numbers
 * @param softmax whether it is done, whatever the numbers are; null: as they are
 * @throws TactusError predict_failed for another number of classes, or where one is no number
 */
export function toClassProbabilities(
  values: number[],
  count: number | null,
  softmax: boolean | null,
): number[] {
  if (values.some((value) => Number.isNaN(value))) throw wrong('the model gives NaN for a class');
  const [only] = values;
  if (values.length === 1 && count === 2 && only !== undefined) {
    const isLogit = softmax ?? !(only >= 0 && only <= 1);
    const second = isLogit ? 1 / (1 + Math.exp(-only)) : only;
    return [1 - second, second];
  }
  if (count !== null && values.length !== count)
    throw wrong(`labels has ${count} names, and the model gives ${values.length} numbers`);
  const isSure = values.every((value) => value >= 0 && value <= 1);
  const sum = values.reduce((total, value) => total + value, 0);
  return (softmax ?? !(isSure && Math.abs(sum - 1) <= tolerance)) ? softmaxOf(values) : values;
}

/** `{ label, confidence, scores = { label = p } }`. */
export function classified(scores: readonly number[], labels: Labels): JsonObject {
  let best = 0;
  for (const [i, score] of scores.entries()) if (score > (scores[best] ?? 0)) best = i;
  return {
    label: labels[best] ?? '',
    confidence: scores[best] ?? 0,
    scores: Object.fromEntries(labels.map((label, i) => [label, scores[i] ?? 0])),
  };
}

function softmaxOf(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function wrong(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}
