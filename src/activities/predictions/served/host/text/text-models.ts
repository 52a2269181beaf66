import type { PreTrainedTokenizer } from '@huggingface/transformers';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { TactusError } from '../../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../../contract/json/json.js';
import type { HostedType } from '../../hosted-type.js';
import { withoutPlace } from '../model-files.js';
import type { LoadedModel, ModelKind, ModelPlace } from '../model-kind.js';
import { OutputRoom } from '../output-room.js';
import { readLabels } from '../labels.js';
import { cuttingTokenizer } from './cutting-tokenizer.js';
import { assertTokenizer, readTextFolder, type TextFolder } from './text-folder.js';
import { flagOf, maxLengthOf, poolingOf, taskOf, textOf, wrong, type TextTask } from './text-settings.js';

/** Of each text a list of numbers. */
const embedTexts: TextRun = async ({ pipe, folder }, inputs, { settings, first }) => {
  const texts = inputs.map((input, i) => textOf(input, first + i));
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

/** Of each text a list of `{ entity, score, word, index }`: what belongs to nothing ("O") is left out. */
const classifyTokens: TextRun = async ({ pipe }, inputs, { first }) => {
  const texts = inputs.map((input, i) => textOf(input, first + i));
  return (await pipe(texts)) as JsonValue[];
};

interface Score {
  label: string;
  score: number;
}

/** `{ label, confidence, scores = { label = p } }`: `labels` are other names for the model's own, in their order. */
const classifyTexts: TextRun = async (model, inputs, { settings, first }) => {
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
    })) as unknown as TextModel['pipe'];
    const { tokenizer } = pipe;
    pipe.tokenizer = cuttingTokenizer(tokenizer, {
      most: Math.min(maxLengthOf(folder, model.settings) ?? Infinity, tokenizer.model_max_length as number),
      hasTypes: Object.values(pipe.model.sessions).some(({ inputNames }) =>
        inputNames.includes('token_type_ids'),
      ),
      tensor: (values, dims) => new Tensor('int64', values, dims),
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
