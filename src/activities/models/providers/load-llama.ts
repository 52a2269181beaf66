import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LocalModelFiles } from '../../activity-deps.js';
import { Fault } from '../../retries/fault.js';
import type { Llama, LlamaApi, LlamaChat, LlamaChatWrapper, LlamaModel, LlamaSequence } from './llama-api.js';

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
