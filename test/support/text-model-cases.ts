import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../src/contract/json/json.js';

export interface TextModelCases {
  /** Five. */
  texts: JsonValue;
  /** How a model is declared, and what transformers says of each text by its folder. */
  cases: [fields: string, wanted: JsonValue[]][];
}

/** Of the folders of models that `test/fixtures/models/produce_texts.py` has made. */
export function textModelCases(folder: string): TextModelCases {
  type Told = Record<'texts' | 'mood' | 'entities' | 'entails' | 'sentences' | 'cls', JsonValue[]>;
  const told = JSON.parse(readFileSync(join(folder, 'expected-texts.json'), 'utf8')) as Told;
  const mood = told.mood.map(ranked);
  // Where in the text they stand, transformers.js doesn't say.
  const entities = told.entities.map((found) =>
    (found as Record<string, JsonValue>[]).map(({ start: _s, end: _e, ...each }) => each),
  );
  const candidates = 'labels = { "service", "travel", "goods" }';
  return {
    texts: told.texts,
    cases: [
      ['type = "bert", path = "mood"', mood],
      ['type = "hf_sequence_classifier", model = "mood"', mood],
      ['type = "bert", path = "entities", task = "token-classification"', entities],
      [
        `type = "bert", path = "entails", task = "zero-shot-classification", ${candidates}`,
        told.entails.map(ranked),
      ],
      ['type = "sentence_transformers", path = "sentences"', told.sentences],
      [
        'type = "bert", path = "sentences", task = "feature-extraction", pooling = "cls", normalize = false, max_length = 64',
        told.cls,
      ],
    ],
  };
}

/** What a procedure does that asks one of them about all texts, given in each way. */
export function askedOfTexts(fields: string): string {
  return `local m = model "m" { ${fields} }
    local inputs = { input.texts[1], { text = input.texts[2] }, { input = input.texts[3] }, input.texts[4], input.texts[5] }
    return m.predict_batch(inputs)`;
}

function ranked(scores: JsonValue): JsonValue {
  const [best] = Object.entries(scores as Record<string, number>).sort(([, a], [, b]) => b - a);
  return { label: best?.[0] ?? '', confidence: best?.[1] ?? 0, scores };
}
