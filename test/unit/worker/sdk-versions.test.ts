import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sdkVersions, workerVersion } from '../../../src/worker/sdk-versions.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

it('are those that a module finds, whoever else has others', () => {
  const project = temporaryFolder('sdk-versions');
  const install = (folder: string, name: string, version: string): void => {
    const place = join(project, folder, 'node_modules/@temporalio', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify({ version }));
  };
  for (const name of ['activity', 'common', 'proto', 'worker']) install('', name, '1.24.0');
  install('', 'client', '1.23.0');
  install('node_modules/@temporalio/worker', 'client', '1.24.0');
  const module = join(project, 'node_modules/tactus-temporal/dist/index.js');
  expect(sdkVersions(module)).toEqual({
    ...{ activity: '1.24.0', common: '1.24.0', proto: '1.24.0', worker: '1.24.0' },
    ...{ client: '1.23.0', workflow: null },
  });
  expect(workerVersion(module)).toBe('1.24.0');
});

it('a project without a worker is told so', () => {
  const module = join(temporaryFolder('sdk-versions'), 'index.js');
  expect(() => workerVersion(module)).toThrow('@temporalio/worker is not installed');
});
