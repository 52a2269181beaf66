import type { JsonObject, JsonValue } from '../../contract/json.js';

/**
 * The part of `node-llama-cpp` that is used here. Written down, since the package is no dependency: its set-up is
 * optional, and it is imported from wherever that put it.
 */
export interface LlamaApi {
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

export interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: JsonObject): Promise<LlamaGrammar>;
}

export interface LlamaModel {
  readonly tokenizer: unknown;
  createContext(options: {
    contextSize: number;
    threads: number;
    sequences: 1;
  }): Promise<{ getSequence(): LlamaSequence }>;
}

export interface LlamaSequence {
  clearHistory(): Promise<void>;
  readonly tokenMeter: {
    getState(): TokenCounts;
    diff(before: TokenCounts): TokenCounts;
  };
}

export interface TokenCounts {
  usedInputTokens: number;
  usedOutputTokens: number;
}

declare const grammar: unique symbol;
/** Made by the library, and only handed back to it. */
export interface LlamaGrammar {
  readonly [grammar]: true;
}

export interface LlamaChatWrapper {
  generateContextState(options: {
    chatHistory: readonly ChatItem[];
    availableFunctions?: LlamaFunctions;
    documentFunctionParams?: boolean;
  }): LlamaContextState;
}

export interface LlamaContextState {
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
