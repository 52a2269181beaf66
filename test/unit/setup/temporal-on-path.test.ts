import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isGoodTemporal, temporalOnPath } from '../../../scripts/setup/temporal-on-path.mjs';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('isGoodTemporal', () => {
  it.each([
    ['temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', true],
    ['temporal version 1.5.0 (Server 1.29.0, UI 2.41.0)', true],
    ['temporal version 1.4.1 (Server 1.28.0, UI 2.39.0)', false],
    ['temporal version 9.9.9', false],
    ['', false],
  ])('judges %j by its server', (text, good) => {
    expect(isGoodTemporal(text)).toBe(good);
  });
});

describe('temporalOnPath', () => {
  let folder: string;

  beforeEach(async () => {
    folder = temporaryFolder('path');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
  });

  async function put(name: string, prints: string) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'temporal'), `#!/bin/sh\necho "${prints}"\n`);
    await chmod(join(folder, name, 'temporal'), 0o755);
    return join(folder, name);
  }

  it('passes over one that is too old and takes the next', async () => {
    const old = await put('old', 'temporal version 1.1.0 (Server 1.25.0, UI 2.30.0)');
    const good = await put('good', 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)');
    vi.stubEnv('PATH', `${join(folder, 'nowhere')}:${old}:${good}:/bin:/usr/bin`);
    await expect(temporalOnPath()).resolves.toEqual({
      path: join(good, 'temporal'),
      version: '1.9.1 (Server 1.32.0, UI 2.54.1)',
    });
  });

  it('finds none where none is', async () => {
    vi.stubEnv('PATH', folder);
    await expect(temporalOnPath()).resolves.toBeUndefined();
  });
});
