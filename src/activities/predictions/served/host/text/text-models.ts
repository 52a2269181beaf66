import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { TactusError } from '../../../../../contract/errors.js';
import type { JsonValue } from '../../../../../contract/json/json.js';
import type { HostedType } from '../../hosted-type.js';
import { withoutPlace } from '../model-files.js';
import type { LoadedModel, ModelKind, ModelPlace } from '../model-kind.js';
import { OutputRoom } from '../output-room.js';
import { classifyTexts } from './classify-texts.js';
import { classifyTokens } from './classify-tokens.js';
import { classifyZeroShot } from './classify-zero-shot.js';
import { cuttingTokenizer } from './cutting-tokenizer.js';
import { embedTexts } from './embed-texts.js';
import { assertTokenizer, readTextFolder, type TextFolder } from './text-folder.js';
import { maxLengthOf, taskOf, type TextTask } from './text-settings.js';
import type { TextModel, TextRun } from './text-model.js';

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
