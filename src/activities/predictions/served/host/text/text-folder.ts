import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TactusError } from '../../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../../contract/json/json.js';
import { dataBeside, predictFailed, type HostedType, type ModelPlace } from '../model-kind.js';

/** What files of other numbers are called. */
const suffixes: Record<string, string> = {
  fp32: '',
  fp16: '_fp16',
  int8: '_int8',
  uint8: '_uint8',
  q8: '_quantized',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
};

/** How a model of this kind gets its file. */
const howTo = 'optimum-cli export onnx --model FOLDER --task TASK FOLDER makes one';

/** A folder as the libraries of Hugging Face keep it. */
export interface TextFolder {
  /** Where in it the file of ONNX lies: `onnx`, or nothing. */
  subfolder: string;
  dtype: string;
  files: string[];
  config: JsonObject;
  /** What sentence-transformers says of it; null: nothing. */
  pooling: JsonObject | null;
  sentence: JsonObject | null;
}

/** @throws TactusError predict_failed naming what is missing, or can't be read */
export async function readTextFolder({ place, path, settings }: ModelPlace): Promise<TextFolder> {
  const { dtype = 'fp32' } = settings;
  const suffix = typeof dtype === 'string' && Object.hasOwn(suffixes, dtype) ? suffixes[dtype] : undefined;
  if (suffix === undefined || typeof dtype !== 'string')
    throw new TactusError('predict_failed', `dtype must be one of ${Object.keys(suffixes).join(', ')}`);
  const config = await readJson(place, 'config.json', path);
  if (config === null) throw missing(path, 'config.json', 'is it the folder of a model of transformers?');
  for (const name of ofTokenizer)
    if (!(await isThere(join(place, name))))
      throw missing(path, name, 'AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER) makes it');
  const file = `model${suffix}.onnx`;
  const places = [join('onnx', file), file];
  const found = await first(places, place);
  if (found === null) throw missing(path, `onnx/${file}`, howTo);
  const beside = await dataBeside(join(place, found));
  const others = ['special_tokens_map.json', ...ofSentences.map((names) => join(...names))];
  const there = await Promise.all(
    others.map(async (name) => ((await isThere(join(place, name))) ? [name] : [])),
  );
  const names = ['config.json', ...ofTokenizer, ...there.flat()];
  const [pooling = null, sentence = null] = await Promise.all(
    ofSentences.map((parts) => readJson(place, join(...parts), path)),
  );
  return {
    subfolder: found === file ? '' : 'onnx',
    ...{ dtype, config, pooling, sentence },
    files: [...names.map((name) => join(place, name)), join(place, found), ...beside],
  };
}

/** Files of JSON that transformers.js reads; large ones, which are looked at once, when a model is loaded. */
const ofTokenizer = ['tokenizer.json', 'tokenizer_config.json'];

/** @throws TactusError predict_failed naming the one that can't be read */
export async function assertTokenizer({ place, path }: ModelPlace): Promise<void> {
  for (const name of ofTokenizer) await readJson(place, name, path);
}

/** How sentence-transformers says which of the tokens' numbers are a text's, and how long one may be. */
const ofSentences = [['1_Pooling', 'config.json'], ['sentence_bert_config.json']];

async function readJson(place: string, name: string, path: string): Promise<JsonObject | null> {
  if (!(await isThere(join(place, name)))) return null;
  const text = await readFile(join(place, name), 'utf8');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new TactusError('predict_failed', `${name} of ${path} is not JSON: ${(error as Error).message}`);
  }
  if (isObject(value)) return value;
  throw new TactusError('predict_failed', `${name} of ${path} must be an object of JSON`);
}

async function first(names: readonly string[], place: string): Promise<string | null> {
  for (const name of names) if (await isThere(join(place, name))) return name;
  return null;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function missing(path: string, name: string, help: string): TactusError {
  return new TactusError('predict_failed', `${path} has no ${name}: ${help}`);
}

const textTasks = [
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
    throw predictFailed(`there is no task ${JSON.stringify(task)}; there are ${textTasks.join(', ')}`);
  return found;
}

/** Tokens that a text is cut to: as somebody says, and never more than the model has places for. */
export function maxLengthOf(
  { config, sentence }: TextFolder,
  { max_length: said = null }: JsonObject,
): number | null {
  if (said !== null && !(typeof said === 'number' && Number.isInteger(said) && said > 0))
    throw predictFailed('max_length must be a number of tokens');
  const lengths = [said ?? sentence?.['max_seq_length'], config['max_position_embeddings']];
  const known = lengths.filter((each) => typeof each === 'number' && each > 0) as number[];
  return known.length === 0 ? null : Math.min(...known);
}

type Pooling = 'mean' | 'cls';

/** Of sentence-transformers: as the folder says, where nobody else does. */
export function poolingOf({ pooling: own }: TextFolder, { pooling = null }: JsonObject): Pooling {
  const said = pooling ?? (own?.['pooling_mode_cls_token'] === true ? 'cls' : 'mean');
  if (said === 'mean' || said === 'cls') return said;
  throw predictFailed('pooling must be "mean" or "cls"');
}

export function flagOf(settings: JsonObject, name: string, usual: boolean): boolean {
  const value = settings[name] ?? usual;
  if (typeof value === 'boolean') return value;
  throw predictFailed(`${name} must be true or false`);
}

/** A text, or a table with one as `text` or `input`. */
export function inputText(input: JsonValue, number: number): string {
  const text = isObject(input) ? (input['text'] ?? input['input'] ?? null) : input;
  if (typeof text === 'string') return text;
  throw predictFailed(`input ${number} must be a text, or a table with one as text`);
}
