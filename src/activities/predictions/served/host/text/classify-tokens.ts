import type { JsonValue } from '../../../../../contract/json/json.js';
import type { TextRun } from './text-model.js';
import { textOf } from './text-settings.js';

/** Of each text a list of `{ entity, score, word, index }`: what belongs to nothing ("O") is left out. */
export const classifyTokens: TextRun = async ({ pipe }, inputs, { first }) => {
  const texts = inputs.map((input, i) => textOf(input, first + i));
  return (await pipe(texts)) as JsonValue[];
};
