import type { LocalModelFiles } from '../../activity-deps.js';
import { createQueue } from '../../retries/one-at-a-time.js';
import { untilAborted } from '../../retries/until-aborted.js';
import { generateLocally, type LocalAnswer, type LocalRequest } from './generate-locally.js';
import { loadLlama, type LoadedLlama } from './load-llama.js';

/** The local model of one worker: loaded at its first use and kept, and asked one thing at a time. */
export interface LocalRuntime {
  generate(request: LocalRequest): Promise<LocalAnswer>;
}

export function createLocalRuntime(files: LocalModelFiles): LocalRuntime {
  const queue = createQueue();
  let loading: Promise<LoadedLlama> | null = null;

  /** Goes on where its first user gives up; a failure is forgotten, so that the next one tries again. */
  const load = (): Promise<LoadedLlama> => {
    loading ??= loadLlama(files).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };

  return {
    generate: (request) =>
      queue(async () => generateLocally(await untilAborted(load(), request.signal), request), request.signal),
  };
}
