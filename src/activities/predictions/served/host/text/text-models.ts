import type { PreTrainedTokenizer, Tensor } from '@huggingface/transformers';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { TactusError } from '../../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../../contract/json/json.js';
import {
  predictFailed,
  OutputRoom,
  readLabels,
  withoutPlace,
  type HostedType,
  type LoadedModel,
  type ModelKind,
  type ModelPlace,
} from '../model-kind.js';
import {
  assertTokenizer,
  flagOf,
  maxLengthOf,
  poolingOf,
  readTextFolder,
  taskOf,
  inputText,
  type TextFolder,
  type TextTask,
} from './text-folder.js';

/** Of each text a list of numbers. */
const embedTexts: TextRun = async ({ pipe, folder }, inputs, { settings, first }) => {
  const texts = inputs.map((input, i) => inputText(input, first + i));
  const options = { pooling: poolingOf(folder, settings), normalize: flagOf(settings, 'normalize', true) };
  const tensor = (await pipe(texts, options)) as { tolist(): JsonValue[] };
  return tensor.tolist();
};

interface Ranked {
  labels: string[];
  scores: number[];
}

/** `{ label, confidence, scores = { label = p } }` for labels that the model was not made for. */
const classifyZeroShot: TextRun = async ({ pipe }, inputs, { settings, first }) => {
  const { hypothesis_template: template = 'This example is {}.' } = settings;
  if (typeof template !== 'string' || !template.includes('{}'))
    throw predictFailed('hypothesis_template must be a text with {} where the label goes');
  const options = { hypothesis_template: template, multi_label: flagOf(settings, 'multi_label', false) };
  const outputs: JsonValue[] = [];
  for (const [i, input] of inputs.entries()) {
    const labels = readLabels((isObject(input) ? input['labels'] : null) ?? settings['labels'] ?? null);
    if (labels === null)
      throw predictFailed('zero-shot-classification needs labels, of the model or of the input');
    const ranked = (await pipe(inputText(input, first + i), [...labels], options)) as Ranked;
    outputs.push({
      label: ranked.labels[0] ?? '',
      confidence: ranked.scores[0] ?? 0,
      scores: Object.fromEntries(ranked.labels.map((label, j) => [label, ranked.scores[j] ?? 0])),
    });
  }
  return outputs;
};

/** Of each text a list of `{ entity, score, word, index }`: what belongs to nothing ("O") is left out. */
const classifyTokens: TextRun = async ({ pipe }, inputs, { first }) => {
  const texts = inputs.map((input, i) => inputText(input, first + i));
  return (await pipe(texts)) as JsonValue[];
};

interface Score {
  label: string;
  score: number;
}

/** `{ label, confidence, scores = { label = p } }`: `labels` are other names for the model's own, in their order. */
const classifyTexts: TextRun = async (model, inputs, { settings, first }) => {
  const names = namesOf(model, settings);
  const texts = inputs.map((input, i) => inputText(input, first + i));
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
    throw predictFailed(
      `labels has ${labels.length} names, and the model knows ${own.length}: ${own.join(', ')}`,
    );
  return new Map(own.map((label, i) => [label, labels[i] ?? label]));
}

/** Texts that the model is given at once: all of them are as long as the longest. */
const mostTexts = 32;

const runs: Record<TextTask, TextRun> = {
  'text-classification': classifyTexts,
  'token-classification': classifyTokens,
  'zero-shot-classification': classifyZeroShot,
  'feature-extraction': embedTexts,
};

/** Folders of transformers models with a file of ONNX, by transformers.js. */
export function textModels(type: HostedType): ModelKind {
  return {
    async files(model) {
      if (!(await stat(model.place)).isDirectory())
        throw new TactusError('predict_failed', `${model.path} is a file, and must be the folder of a model`);
      return (await readTextFolder(model)).files;
    },
    variant: ({ settings }): JsonValue => {
      const { dtype = null, max_length: maxLength = null } = settings;
      return [taskOf(type, settings), dtype, maxLength];
    },
    async load(model) {
      const folder = await readTextFolder(model);
      await assertTokenizer(model);
      const task = taskOf(type, model.settings);
      const loaded = await open(model, folder, task);
      const run: LoadedModel['run'] = async (inputs, settings) => {
        const room = new OutputRoom();
        for (let i = 0; i < inputs.length && room.hasMore; i += mostTexts)
          for (const output of await runs[task](loaded, inputs.slice(i, i + mostTexts), {
            settings,
            first: i + 1,
          }))
            room.add(output);
        return room.outputs;
      };
      return {
        run,
        dispose: async () => {
          await loaded.pipe.dispose();
        },
      };
    },
  };
}

async function open(model: ModelPlace, folder: TextFolder, task: TextTask): Promise<TextModel> {
  const { env, LogLevel, pipeline, Tensor } = await import('@huggingface/transformers');
  env.allowRemoteModels = false;
  env.useFSCache = false;
  env.logLevel = LogLevel.ERROR;
  env.localModelPath = dirname(model.place);
  try {
    const pipe = (await pipeline(task, basename(model.place), {
      dtype: folder.dtype as 'fp32',
      subfolder: folder.subfolder,
      device: 'cpu',
      local_files_only: true,
      // eslint-disable-next-line no-restricted-syntax -- the types of the package don't tell what a pipeline of this task has
    })) as unknown as TextModel['pipe'];
    const { tokenizer } = pipe;
    pipe.tokenizer = cuttingTokenizer(tokenizer, {
      most: Math.min(maxLengthOf(folder, model.settings) ?? Infinity, tokenizer.model_max_length as number),
      hasTypes: Object.values(pipe.model.sessions).some(({ inputNames }) =>
        inputNames.includes('token_type_ids'),
      ),
      tensor: (values, dims) => new Tensor('int64', values, dims),
      // eslint-disable-next-line no-restricted-syntax -- it takes the calls that the pipeline makes, and has no other methods
    }) as unknown as typeof tokenizer;
    return { pipe, folder };
  } catch (error) {
    const said = withoutPlace(error instanceof Error ? error.message : String(error), model.place);
    throw new TactusError('predict_failed', `${model.path} can't be loaded for ${task}: ${said}`);
  }
}

/** What a pipeline of transformers.js is to us. */
interface TextModel {
  pipe: {
    (texts: string | string[], options?: unknown): Promise<unknown>;
    (text: string, labels: string[], options?: unknown): Promise<unknown>;
    tokenizer: PreTrainedTokenizer;
    model: {
      config: { id2label?: Record<string, string> };
      sessions: Record<string, { inputNames: readonly string[] }>;
    };
    dispose(): Promise<unknown>;
  };
  folder: TextFolder;
}

interface TextRunOptions {
  settings: JsonObject;
  /** Number of the first of the inputs, from 1, for errors. */
  first: number;
}

/** One task, for texts that go together. @throws TactusError predict_failed */
type TextRun = (
  model: TextModel,
  inputs: readonly JsonValue[],
  options: TextRunOptions,
) => Promise<JsonValue[]>;

interface Encoded {
  input_ids: number[];
  attention_mask: number[];
  token_type_ids?: number[];
}

/** What the pipelines call: several texts, or one with another that belongs to it. */
interface CuttingTokenizer {
  (texts: string | string[], options?: { text_pair?: string | null }): Record<string, Tensor>;
  decode: PreTrainedTokenizer['decode'];
}

interface CuttingOptions {
  /** Tokens that a text is cut to. */
  most: number;
  /** Whether the model wants to know which of two texts a token is of. */
  hasTypes: boolean;
  /** Makes a tensor of the library that the tokenizer is of. */
  tensor: (values: BigInt64Array, dims: number[]) => Tensor;
}

/**
 * The tokenizer of a model, as the pipelines of transformers.js call theirs. Too long a text loses words at its end, and not the tokens
 * behind it that end every text: those that models learned with were cut so, and transformers.js cuts otherwise.
 */
function cuttingTokenizer(
  tokenizer: PreTrainedTokenizer,
  { most, hasTypes, tensor }: CuttingOptions,
): CuttingTokenizer {
  const encode = (text: string, pair: string | null): Encoded => {
    const options = { text_pair: pair, return_tensor: false, return_token_type_ids: hasTypes };
    // eslint-disable-next-line no-restricted-syntax -- with `return_tensor: false` it gives lists, which its types leave open
    const encoded = tokenizer(text, options as object) as unknown as Encoded;
    const over = encoded.input_ids.length - most;
    if (!(over > 0)) return encoded;
    const words = tokenizer.encode(text, { add_special_tokens: false });
    const end = startOf(words, encoded.input_ids) + words.length;
    const cut = (values: number[]): number[] => values.filter((_, i) => i < end - over || i >= end);
    return Object.fromEntries(
      Object.entries(encoded).map(([name, values]) => [name, cut(values as number[])]),
      // eslint-disable-next-line no-restricted-syntax -- cut, each list stays one
    ) as unknown as Encoded;
  };
  const call = (
    texts: string | string[],
    { text_pair: pair = null }: { text_pair?: string | null } = {},
  ): Record<string, Tensor> => {
    const encoded = (Array.isArray(texts) ? texts : [texts]).map((text) => encode(text, pair));
    const length = Math.max(...encoded.map(({ input_ids: ids }) => ids.length));
    const padded = (name: keyof Encoded, filler: number): Tensor => {
      const rows = encoded.map((each) => {
        const values = each[name] ?? [];
        return [...values, ...Array.from({ length: length - values.length }, () => filler)];
      });
      return tensor(BigInt64Array.from(rows.flat().map(BigInt)), [rows.length, length]);
    };
    return {
      input_ids: padded('input_ids', tokenizer.pad_token_id ?? 0),
      attention_mask: padded('attention_mask', 0),
      ...(hasTypes ? { token_type_ids: padded('token_type_ids', 0) } : {}),
    };
  };
  // Token classification leaves out what has no text: a word that the model doesn't know is no such.
  const decode: CuttingTokenizer['decode'] = (ids, options) =>
    Array.isArray(ids) && ids.length === 1 && Number(ids[0]) === tokenizer.unk_token_id
      ? (tokenizer.unk_token ?? '')
      : tokenizer.decode(ids, options);
  return Object.assign(call, { decode });
}

/** Where the words of a text begin among all its tokens. */
function startOf(words: readonly number[], all: readonly number[]): number {
  for (let start = 0; start + words.length <= all.length; start++)
    if (words.every((word, i) => all[start + i] === word)) return start;
  return 0;
}
