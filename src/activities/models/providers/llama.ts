import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { LocalModelFiles } from '../../activity-deps.js';
import { Fault } from '../../retries/failures.js';

/** In tokens, for the prompt and the answer together. The model has learned with 8,192; half of that takes 90 MB less. */
export const contextSize = 4_096;

export interface LoadedLlama {
  llama: Llama;
  model: LlamaModel;
  sequence: LlamaSequence;
  chatWrapper: LlamaChatWrapper;
  chat: LlamaChat;
  /** A chat whose answer begins inside of a function call. */
  callingChat: LlamaChat;
}

/**
 * Loads the library and the model: about a second, and 350 MB. Never builds and never downloads anything.
 * @throws Fault, not retryable, where the installation isn't whole
 */
export async function loadLlama({ gguf, llamaPackage }: LocalModelFiles): Promise<LoadedLlama> {
  try {
    const api = await importLlama(llamaPackage);
    // With as many threads as cores they wait for each other as soon as anything else runs: 200 times slower.
    const threads = Math.max(1, availableParallelism() - 1);
    const llama = await api.getLlama({
      gpu: false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      maxThreads: threads,
      logger: () => undefined,
    });
    const model = await llama.loadModel({ modelPath: gguf });
    const sequence = (await model.createContext({ contextSize, threads, sequences: 1 })).getSequence();
    const chatWrapper = new api.ChatMLChatWrapper();
    return {
      llama,
      model,
      sequence,
      chatWrapper,
      chat: new api.LlamaChat({ contextSequence: sequence, chatWrapper }),
      callingChat: new api.LlamaChat({ contextSequence: sequence, chatWrapper: callingWrapper(api) }),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault(`can't be loaded: ${reason}`, { retryable: false });
  }
}

/** Finds the package from inside of its own directory as well as from the one it is installed in. */
async function importLlama(llamaPackage: string): Promise<LlamaApi> {
  const entry = createRequire(join(llamaPackage, 'package.json')).resolve('node-llama-cpp');
  return (await import(pathToFileURL(entry).href)) as LlamaApi;
}

function callingWrapper(api: LlamaApi): LlamaChatWrapper {
  return new (class extends api.ChatMLChatWrapper {
    override generateContextState(options: Parameters<LlamaChatWrapper['generateContextState']>[0]) {
      const { contextText, stopGenerationTriggers } = super.generateContextState(options);
      const functionCall = { initiallyEngaged: true, disengageInitiallyEngaged: [] };
      return { contextText, stopGenerationTriggers, functionCall };
    }
  })();
}

/**
 * The part of `node-llama-cpp` that is used here. Written down, since the package is no dependency: its set-up is
 * optional, and it is imported from wherever that put it.
 */
interface LlamaApi {
  getLlama(options: {
    gpu: false;
    build: 'never';
    skipDownload: true;
    progressLogs: false;
    maxThreads: number;
    logger: () => void;
  }): Promise<Llama>;
  LlamaChat: new (options: { contextSequence: LlamaSequence; chatWrapper: LlamaChatWrapper }) => LlamaChat;
  ChatMLChatWrapper: new () => LlamaChatWrapper;
}

interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: JsonObject): Promise<LlamaGrammar>;
}

interface LlamaModel {
  readonly tokenizer: unknown;
  tokenize(text: string): LlamaToken[];
  createContext(options: {
    contextSize: number;
    threads: number;
    sequences: 1;
  }): Promise<{ getSequence(): LlamaSequence }>;
}

/** A piece of text, by its number. */
export type LlamaToken = number;

/** A token that is added, and whether the distribution of what may follow it is wanted. */
type LlamaInput =
  | LlamaToken
  | readonly [
      LlamaToken,
      {
        generateNext: {
          probabilities: true;
          options: { temperature: number; topK: number; topP: number; minP: number };
        };
      },
    ];

interface LlamaSequence {
  clearHistory(): Promise<void>;
  /** How many tokens stand there. */
  readonly nextTokenIndex: number;
  /** Drops what doesn't begin like these. */
  adaptStateToTokens(tokens: readonly LlamaToken[], allowShift: false): Promise<void>;
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>;
  controlledEvaluate(
    input: readonly LlamaInput[],
  ): Promise<({ next: { probabilities?: Map<LlamaToken, number> } } | undefined)[]>;
  readonly tokenMeter: {
    getState(): TokenCounts;
    diff(before: TokenCounts): TokenCounts;
  };
}

interface TokenCounts {
  usedInputTokens: number;
  usedOutputTokens: number;
}

declare const grammar: unique symbol;
/** Made by the library, and only handed back to it. */
interface LlamaGrammar {
  readonly [grammar]: true;
}

interface LlamaChatWrapper {
  generateContextState(options: {
    chatHistory: readonly ChatItem[];
    availableFunctions?: LlamaFunctions;
    documentFunctionParams?: boolean;
  }): LlamaContextState;
}

interface LlamaContextState {
  contextText: { tokenize(tokenizer: unknown): readonly number[] };
  stopGenerationTriggers: readonly unknown[];
  functionCall?: { initiallyEngaged: boolean; disengageInitiallyEngaged: readonly unknown[] };
}

export type LlamaFunctions = Record<string, { description: string; params: JsonObject }>;

export type ChatItem =
  { type: 'system' | 'user'; text: string } | { type: 'model'; response: (string | ChatFunctionCall)[] };

export interface ChatFunctionCall {
  type: 'functionCall';
  name: string;
  params: JsonValue;
  result: JsonValue;
}

export interface LlamaChat {
  generateResponse(
    history: readonly ChatItem[],
    options: {
      signal: AbortSignal;
      maxTokens: number;
      temperature: number;
      seed: number;
      topP?: number;
      customStopTriggers?: readonly string[];
      onTextChunk?: (text: string) => void;
      grammar?: LlamaGrammar;
      functions?: LlamaFunctions;
      documentFunctionParams?: boolean;
    },
  ): Promise<{
    response: string;
    functionCalls?: { functionName: string; params: JsonValue | undefined }[];
    metadata: { stopReason: string };
  }>;
}
