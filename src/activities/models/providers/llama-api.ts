import type { JsonObject, JsonValue } from '../../../contract/json/json.js';

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
export type LlamaInput =
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

export interface LlamaSequence {
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
