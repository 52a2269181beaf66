import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { ScenarioFiles } from '../../../../src/worker/specifications/scenario-files.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

afterEach(() => vi.unstubAllEnvs());

it('fixtures may hold the folder for temporary files', async () => {
  const fixtures = temporaryFolder('fixtures');
  mkdirSync(join(fixtures, 'tmp'));
  writeFileSync(join(fixtures, 'tmp', 'a.txt'), 'a');
  const link = join(temporaryFolder('elsewhere'), 'temporary');
  symlinkSync(join(fixtures, 'tmp'), link);
  vi.stubEnv('TMPDIR', link);
  const files = ScenarioFiles.make(false);
  try {
    for (const id of ['one', 'two']) {
      const folder = await files.begin(id, { fixtures, texts: {} });
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['tmp', 'tmp/a.txt']);
    }
  } finally {
    await files.remove();
  }
  expect(readdirSync(join(fixtures, 'tmp'))).toEqual(['a.txt']);
});
