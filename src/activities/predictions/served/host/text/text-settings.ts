import { TactusError } from '../../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../../contract/json/json.js';
import type { HostedType } from '../../hosted-type.js';
import type { TextFolder } from './text-folder.js';

export const textTasks = [
  'text-classification',
  'token-classification',
  'zero-shot-classification',
  'feature-extraction',
] as const;

export type TextTask = (typeof textTasks)[number];

/** @throws TactusError predict_failed */
export function taskOf(type: HostedType, { task = null }: JsonObject): TextTask {
  if (type === 'sentence_transformers') return 'feature-extraction';
  if (type === 'hf_sequence_classifier') return 'text-classification';
  const found = textTasks.find((each) => each === (task ?? 'text-classification'));
  if (found === undefined)
    throw wrong(`there is no task ${JSON.stringify(task)}; there are ${textTasks.join(', ')}`);
  return found;
}

/** Tokens that a text is cut to: as somebody says, and never more than the model has places for. */
export function maxLengthOf(
  { config, sentence }: TextFolder,
  { max_length: said = null }: JsonObject,
): number | null {
  if (said !== null && !(typeof said === 'number' && Number.isInteger(said) && said > 0))
    throw wrong('max_length must be a number of tokens');
  const lengths = [said ?? sentence?.['max_seq_length'], config['max_position_embeddings']];
  const known = lengths.filter((each) => typeof each === 'number' && each > 0) as number[];
  return known.length === 0 ? null : Math.min(...known);
}

export type Pooling = 'mean' | 'cls';

/** Of sentence-transformers: as the folder says, where nobody else does. */
export function poolingOf({ pooling: own }: TextFolder, { pooling = null }: JsonObject): Pooling {
  const said = pooling ?? (own?.['pooling_mode_cls_token'] === true ? 'cls' : 'mean');
  if (said === 'mean' || said === 'cls') return said;
  throw wrong('pooling must be "mean" or "cls"');
}

export function flagOf(settings: JsonObject, name: string, usual: boolean): boolean {
  const value = settings[name] ?? usual;
  if (typeof value === 'boolean') return value;
  throw wrong(`${name} must be true or false`);
}

/** A text, or a table with one as `text` or `input`. */
export function textOf(input: JsonValue, number: number): string {
  const text = isObject(input) ? (input['text'] ?? input['input'] ?? null) : input;
  if (typeof text === 'string') return text;
  throw wrong(`input ${number} must be a text, or a table with one as text`);
}

export function wrong(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}
