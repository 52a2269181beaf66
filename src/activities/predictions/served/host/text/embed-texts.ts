import type { JsonValue } from '../../../../../contract/json/json.js';
import type { TextRun } from './text-model.js';
import { flagOf, poolingOf, textOf } from './text-settings.js';

/** Of each text a list of numbers. */
export const embedTexts: TextRun = async ({ pipe, folder }, inputs, { settings, first }) => {
  const texts = inputs.map((input, i) => textOf(input, first + i));
  const options = { pooling: poolingOf(folder, settings), normalize: flagOf(settings, 'normalize', true) };
  const tensor = (await pipe(texts, options)) as { tolist(): JsonValue[] };
  return tensor.tolist();
};
