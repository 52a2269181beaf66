import type { JsonObject } from '../../../../../contract/json/json.js';
import { readLabels } from '../labels.js';
import type { TextModel, TextRun } from './text-model.js';
import { textOf, wrong } from './text-settings.js';

interface Score {
  label: string;
  score: number;
}

/** `{ label, confidence, scores = { label = p } }`: `labels` are other names for the model's own, in their order. */
export const classifyTexts: TextRun = async (model, inputs, { settings, first }) => {
  const names = namesOf(model, settings);
  const texts = inputs.map((input, i) => textOf(input, first + i));
  const answers = (await model.pipe(texts, { top_k: null })) as Score[][];
  return answers.map((scores) => {
    const named = scores.map(({ label, score }) => ({ label: names.get(label) ?? label, score }));
    const [best = { label: '', score: 0 }] = named;
    return {
      label: best.label,
      confidence: best.score,
      scores: Object.fromEntries(named.map(({ label, score }) => [label, score])),
    };
  });
};

function namesOf({ pipe }: TextModel, settings: JsonObject): Map<string, string> {
  const labels = readLabels(settings['labels'] ?? null);
  const own = Object.values(pipe.model.config.id2label ?? {});
  if (labels === null) return new Map();
  if (labels.length !== own.length)
    throw wrong(`labels has ${labels.length} names, and the model knows ${own.length}: ${own.join(', ')}`);
  return new Map(own.map((label, i) => [label, labels[i] ?? label]));
}
