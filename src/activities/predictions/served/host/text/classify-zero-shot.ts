import { isObject, type JsonValue } from '../../../../../contract/json/json.js';
import { readLabels } from '../labels.js';
import type { TextRun } from './text-model.js';
import { flagOf, textOf, wrong } from './text-settings.js';

interface Ranked {
  labels: string[];
  scores: number[];
}

/** `{ label, confidence, scores = { label = p } }` for labels that the model was not made for. */
export const classifyZeroShot: TextRun = async ({ pipe }, inputs, { settings, first }) => {
  const { hypothesis_template: template = 'This example is {}.' } = settings;
  if (typeof template !== 'string' || !template.includes('{}'))
    throw wrong('hypothesis_template must be a text with {} where the label goes');
  const options = { hypothesis_template: template, multi_label: flagOf(settings, 'multi_label', false) };
  const outputs: JsonValue[] = [];
  for (const [i, input] of inputs.entries()) {
    const labels = readLabels((isObject(input) ? input['labels'] : null) ?? settings['labels'] ?? null);
    if (labels === null) throw wrong('zero-shot-classification needs labels, of the model or of the input');
    const ranked = (await pipe(textOf(input, first + i), [...labels], options)) as Ranked;
    outputs.push({
      label: ranked.labels[0] ?? '',
      confidence: ranked.scores[0] ?? 0,
      scores: Object.fromEntries(ranked.labels.map((label, j) => [label, ranked.scores[j] ?? 0])),
    });
  }
  return outputs;
};
