import type { PreTrainedTokenizer } from '@huggingface/transformers';
import type { JsonObject, JsonValue } from '../../../../../contract/json/json.js';
import type { TextFolder } from './text-folder.js';

/** What a pipeline of transformers.js is to us. */
export interface TextModel {
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

export interface TextRunOptions {
  settings: JsonObject;
  /** Number of the first of the inputs, from 1, for errors. */
  first: number;
}

/** One task, for texts that go together. @throws TactusError predict_failed */
export type TextRun = (
  model: TextModel,
  inputs: readonly JsonValue[],
  options: TextRunOptions,
) => Promise<JsonValue[]>;
